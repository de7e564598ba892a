// The version of each field of a record, as a compact blob in its row (design D20): the version it was created with, and a newer
// one per field that changed since. Keyed by FieldNo; fields that no declaration names share kUndeclaredField.
#pragma once

#include "store/rows.h"

#include <cstdint>
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
  std::map<FieldNo, std::int64_t> changed;

  std::string encode() const;
  static std::optional<FieldVersions> decode(std::string_view bytes);
};

}  // namespace ladder::store
