// Related records inside a record's answer: one level deep, in the same connection and under the same grant (contract 6.6, design
// D15). The foreign key of a has_many relation is a field of the related stream and holds the declaring record's key; that of a
// has_one relation is a field of the declaring stream and holds the related record's key.
#pragma once

#include "base/result.h"
#include "port/records.h"
#include "rs/projection.h"
#include "rs/reach.h"
#include "store/store.h"

#include <string>
#include <utility>
#include <vector>

namespace ladder::rs {

class Expander {
 public:
  using Limits = std::vector<std::pair<std::string, std::int64_t>>;

  // kInvalidExpand for a relation that is not declared for expansion or a limit out of bounds; kInsufficientScope for a stream or
  // foreign key outside the grant.
  static Result<Expander> compile(const Access& access, const OwnerCatalog& catalog, const Reach& parents,
                                  const std::vector<std::string>& names, const Limits& limits);

  bool empty() const { return relations_.empty(); }
  // Fills record.expanded; `row` is the record's own. False: something moved underneath; read anew.
  Result<bool> expand(store::Reader& reader, const store::RecordRow& row, const CutRules& rules, port::Record& record) const;

 private:
  struct Child {
    store::StreamNo parent = 0;
    Reach reach;  // one place
  };
  struct Relation {
    std::string name;
    bool has_many = false;
    std::int64_t limit = 0;
    std::string foreign_key;
    const model::Field* child_field = nullptr;  // has_many: the foreign key in the related stream
    std::size_t key_arity = 1;                  // has_one: of the related stream's primary key
    Projection projection;
    bool by_key = false;
    std::vector<Child> children;  // one per connection that has both streams
  };

  static Result<Relation> relation(const Access& access, const OwnerCatalog& catalog, const Reach& parents,
                                   const std::string& name, const Limits& limits);
  static Result<bool> read_many(store::Reader& reader, const Relation& relation, const Reach& reach, const CutRules& rules,
                                const store::RecordRow& parent, port::Expansion& into);
  static Result<bool> read_one(store::Reader& reader, const Relation& relation, const Reach& reach, const CutRules& rules,
                               const store::RecordRow& parent, port::Expansion& into);

  std::vector<Relation> relations_;
};

}  // namespace ladder::rs
