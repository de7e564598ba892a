// The version of each field of a record, as a compact blob in its row (design D20): the version it was created with, and a newer
// one per field that changed since. Keyed by FieldNo; fields that no declaration names share kUndeclaredField. Each version keeps
// when it was emitted, so that whoever sees some of the fields is not told when the others came.
#pragma once

#include "store/rows.h"

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
  std::int64_t known_since = 0;  // the version its key first came with, when it was deleted and came again; 0: created
  std::map<FieldNo, std::int64_t> changed;
  std::map<std::int64_t, std::string> emitted;  // version → emitted_at; empty while the row's own says it all

  std::int64_t first_version() const { return known_since != 0 ? known_since : created; }
  // The record came again: what the row said before, and which version, if any, the new emission made.
  void note_emission(std::string_view before, std::optional<std::int64_t> version, std::string_view now);
  // When the newest version among the fields was emitted; nullopt: as the row says.
  std::optional<std::string> emitted_at(const std::function<bool(FieldNo)>& counts) const;

  std::string encode() const;
  static std::optional<FieldVersions> decode(std::string_view bytes);
};

}  // namespace ladder::store
