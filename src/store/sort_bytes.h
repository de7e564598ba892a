// Values as bytes that compare (memcmp) like the values do; each form ends itself, so that more can follow. Made here for both
// engines (design D17): ordering keys and the field index are built from them.
#pragma once

#include "base/time.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::store {

inline constexpr std::size_t kSortedTimeBytes = 8;

void put_sorted_time(std::string& bytes, Instant time);
Instant get_sorted_time(std::string_view eight_bytes);
// By value, whatever the notation; integers beyond 2^53 stay apart. `number` is JSON.
void put_sorted_number(std::string& bytes, std::string_view number);
// A text sorts before every longer one that it begins.
void put_sorted_text(std::string& bytes, std::string_view decoded);

// A JSON string's raw content as a time; nullopt when it is none.
std::optional<Instant> read_raw_time(std::string_view raw);

}  // namespace ladder::store
