// The group of a record, as its declaration says (x_pdpp_belongs_to), and how hits of one such group are asked for. Only
// fields that the caller may read have a part in it.
#pragma once

#include "base/error/error.h"
#include "grant/grant.h"
#include "model/declaration/declaration.h"
#include "store/text/searched_text.h"
#include "store/word_search.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace ladder::server {

// How the records of one stream tell their group.
struct GroupRule {
  std::string label;  // the word for it: "conversation"; empty: they tell none
  std::string field;  // that names it; empty: the record is the whole itself, and its key the name

  bool any() const { return !label.empty(); }
};

// `granted` is null for the owner.
GroupRule group_rule(const model::SourceDeclaration& source, const model::Stream& stream, const grant::StreamGrant* granted);

// Equal for records of one group, whatever their streams; empty: the record tells none.
std::string group_of(const GroupRule& rule, std::string_view connection_id, const store::RecordRow& record);

// Equal for copies: records that have the same in the columns that tell copies or, where none does and the record is part of
// something, in all columns but its context. 0: it has none of them.
std::uint64_t wording_of(std::span<const store::SearchedText> texts, const store::WordScope& scope, bool is_part);

// A name for hits that are listed one by one: of a group, of a wording, or of both.
std::string group_id(std::string_view group, std::optional<std::uint64_t> wording);

class GroupChoice {
 public:
  // kInvalidRequest with param "group" when it is none.
  static Result<GroupChoice> parse(std::string_view id);
  bool takes(std::string_view group, std::uint64_t wording) const;

 private:
  std::string group_, wording_;  // as in the id; empty: not meant
};

}  // namespace ladder::server
