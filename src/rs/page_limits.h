// How large a page of records may be: one place for lists and changes.
#pragma once

#include "base/format.h"
#include "port/records.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

namespace ladder::rs {

inline constexpr std::int64_t kDefaultPageLimit = 25;
inline constexpr std::int64_t kMaxPageLimit = 100;
inline constexpr std::int64_t kMaxPageBytes =
    std::int64_t{16} * 1024 * 1024;  // of `data`; a page that would be larger ends early
inline constexpr std::int64_t kMaxRecordBytes =
    std::int64_t{64} * 1024 * 1024;  // of one record; longer values are cut and listed

inline std::int64_t page_limit(std::optional<std::int64_t> asked) {
  return std::clamp<std::int64_t>(asked.value_or(kDefaultPageLimit), 1, kMaxPageLimit);
}

inline void warn_of_clamp(std::optional<std::int64_t> asked, std::vector<port::Warning>& warnings) {
  if (!asked || *asked <= kMaxPageLimit) return;
  warnings.push_back({"limit_clamped", format("limit is at most {}", kMaxPageLimit), "limit",
                      format("{{\"max_limit\":{},\"requested_limit\":{}}}", kMaxPageLimit, *asked)});
}

}  // namespace ladder::rs
