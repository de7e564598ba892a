// Expands related records inside a record: one level deep, in the same connection and under the same grant (PDPP
// "record lists", design D15). The foreign key of a has_many relation is a field of the related stream and contains
// the declaring record's key. For has_one it is a field of the declaring stream and contains the related record's
// key.
#pragma once

#include "api/records.h"
#include "base/error/error.h"
#include "server/access/read_scope.h"
#include "server/read/projection.h"
#include "store/store.h"

#include <string>
#include <utility>
#include <vector>

namespace ladder::server {

class Expander {
 public:
  using Limits = std::vector<std::pair<std::string, std::int64_t>>;

  // Returns kInvalidExpand for a relation not declared for expansion or an invalid limit; kInsufficientScope for a
  // stream or foreign key outside the grant.
  static Result<Expander> compile(const Access& access, const OwnerCatalog& catalog, const ReadScope& parents,
                                  const std::vector<std::string>& names, const Limits& limits);

  bool empty() const { return relations_.empty(); }
  // Fills record.expanded; `row` is the record's own row. Returns false if data changed; read again then.
  Result<bool> expand(store::Reader& reader, const store::RecordRow& row, const CutRules& rules, api::Record& record) const;

 private:
  struct Child {
    store::StreamNo parent = 0;
    ReadScope read_scope;  // a single stream
  };
  struct Relation {
    std::string name;
    bool has_many = false;
    std::int64_t limit = 0;
    std::string foreign_key;
    const model::Field* child_field = nullptr;  // has_many: the foreign key in the related stream
    std::size_t key_arity = 1;                  // has_one: parts of the related stream's primary key
    Projection projection;
    bool by_key = false;
    std::vector<Child> children;  // one per connection with both streams
  };

  static Result<Relation> relation(const Access& access, const OwnerCatalog& catalog, const ReadScope& parents,
                                   const std::string& name, const Limits& limits);
  static Result<bool> read_many(store::Reader& reader, const Relation& relation, const ReadScope& read_scope,
                                const CutRules& rules, const store::RecordRow& parent, api::Expansion& into);
  static Result<bool> read_one(store::Reader& reader, const Relation& relation, const ReadScope& read_scope,
                               const CutRules& rules, const store::RecordRow& parent, api::Expansion& into);

  std::vector<Relation> relations_;
};

}  // namespace ladder::server
