// The version of each field of a record, as a compact blob in its row (design D20): the version at creation, and a
// newer one per field that changed since. Keyed by FieldNo; fields that no declaration names share kUndeclaredField.
// Each version keeps its emission time, so that a client that sees some of the fields does not learn when the others
// changed.
#pragma once

#include "store/rows/rows.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::store {

inline constexpr FieldNo kWholeRecord = 0;      // change log entries of creation and deletion
inline constexpr FieldNo kUndeclaredField = 1;  // real field numbers start at 16
inline constexpr FieldNo kFirstFieldNo = 16;

struct FieldVersions {
  std::int64_t created = 0;
  std::int64_t known_since = 0;  // first version of its key, if it was deleted and added again; 0: same as created
  std::map<FieldNo, std::int64_t> changed;
  std::map<std::int64_t, std::string> emitted;  // version → emitted_at; empty while the row's emitted_at applies to all

  std::int64_t first_version() const { return known_since != 0 ? known_since : created; }
  // Records a new emission: `before` is the row's previous emitted_at, `version` the version that the emission created,
  // if any.
  void note_emission(std::string_view before, std::optional<std::int64_t> version, std::string_view now);
  // The emission time of the newest version among the fields; nullopt: the row's emitted_at.
  std::optional<std::string> emitted_at(const std::function<bool(FieldNo)>& counts) const;

  std::string encode() const;
  static std::optional<FieldVersions> decode(std::string_view bytes);
};

}  // namespace ladder::store
