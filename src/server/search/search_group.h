// The group of a record, as its declaration says (x_pdpp_belongs_to), and how hits of one such group are asked for. Only
// fields that the caller may read have a part in it.
#pragma once

#include "base/error/error.h"
#include "grant/grant.h"
#include "model/declaration/declaration.h"
#include "store/text/near_copies.h"
#include "store/text/searched_text.h"
#include "store/word_search.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// How the records of one stream tell their group.
struct GroupRule {
  std::string label;                // the word for it: "conversation"; empty: they tell none
  std::vector<std::string> fields;  // that name it; empty: the record is the whole itself, and its key the name

  bool any() const { return !label.empty(); }
};

// `granted` is null for the owner.
GroupRule group_rule(const model::SourceDeclaration& source, const model::Stream& stream, const grant::StreamGrant* granted);

// The names of the record's group. Records of one group share a name, whatever their streams.
std::vector<std::string> groups_of(const GroupRule& rule, std::string_view connection_id, const store::RecordRow& record);

// Equal for copies: records that have the same in the columns that tell copies or, where none does and the record is part of
// something, in all columns but its context. 0: it has none of them.
std::uint64_t wording_of(std::span<const store::SearchedText> texts, const store::WordScope& scope, bool is_part);

// A name for hits that are listed one by one: of a group, of a wording and of what is nearly the same, or of all of these.
std::string group_id(std::span<const std::string> groups, std::optional<std::uint64_t> wording, const store::NearSketch& sketch);

class GroupChoice {
 public:
  // kInvalidRequest with param "group" when it is none.
  static Result<GroupChoice> parse(std::string_view id);
  bool takes(const store::WordReading& reading, const store::NearSketch& sketch) const;
  bool asks_for_near() const { return !sketch_.empty(); }
  // Adds the other names of a record whose group is meant. False if there are none to add.
  bool widen(std::span<const std::string> groups);

 private:
  bool has(const std::string& group) const;

  std::vector<std::string> groups_;  // as in the id
  std::string wording_;              // likewise; empty: not meant
  store::NearSketch sketch_;
};

}  // namespace ladder::server
