// The group of a record, as its declaration defines it (x_pdpp_belongs_to), and how a client requests the hits of one
// group. Only fields that the caller may read are used.
#pragma once

#include "base/error/error.h"
#include "grant/grant.h"
#include "model/declaration/declaration.h"
#include "store/rows/word_search.h"
#include "store/search/searched_text.h"
#include "text/near_copies.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// Defines how the records of one stream identify their group.
struct GroupRule {
  std::string label;                // for example "conversation"; empty: the stream has no groups
  std::vector<std::string> fields;  // fields that name the group; empty: the record is the group itself, named by its key

  bool any() const { return !label.empty(); }
};

// `granted` is null for the owner.
GroupRule group_rule(const model::SourceDeclaration& source, const model::Stream& stream, const grant::StreamGrant* granted);

// Returns the names of the record's group. Records of one group share a name across streams.
std::vector<std::string> groups_of(const GroupRule& rule, std::string_view connection_id, const store::RecordRow& record);

// Returns a hash that is equal for copies: records with the same content in the columns that identify copies. Without
// such columns, a record that is part of a group compares all columns but its context. 0: the record has none of
// them.
std::uint64_t wording_of(std::span<const store::SearchedText> texts, const store::WordScope& scope, bool is_part);

// Builds an id for listing hits one by one: hits of a group, with the same wording, near-duplicates, or any
// combination.
std::string group_id(std::span<const std::string> groups, std::optional<std::uint64_t> wording, const text::NearSketch& sketch);

class GroupChoice {
 public:
  // Returns kInvalidRequest with param "group" for a malformed id.
  static Result<GroupChoice> parse(std::string_view id);
  bool takes(const text::RankedText& reading, const text::NearSketch& sketch) const;
  bool has_sketch() const { return !sketch_.empty(); }
  // Adds the other names of a record in the chosen group. Returns false if there are none to add.
  bool widen(std::span<const std::string> groups);

 private:
  bool has(const std::string& group) const;

  std::vector<std::string> groups_;  // as in the id
  std::string wording_;              // as in the id; empty: not part of the id
  text::NearSketch sketch_;
};

}  // namespace ladder::server
