// Encodes values as bytes that compare (memcmp) in the order of the values. Each encoding is self-delimiting, so that
// more can follow. Order keys and the field index of both engines use these encodings (design D17).
#pragma once

#include "base/time/time.h"
#include "json/scan/scan.h"
#include "model/declaration/declaration.h"
#include "store/rows/rows.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::store {

inline constexpr std::size_t kSortedTimeBytes = 8;

void put_sorted_time(std::string& bytes, Instant time);
Instant get_sorted_time(std::string_view eight_bytes);
// Ordered by value, whatever the notation; integers beyond 2^53 stay distinct. `number` is JSON.
void put_sorted_number(std::string& bytes, std::string_view number);
// A text sorts before every longer text that begins with it.
void put_sorted_text(std::string& bytes, std::string_view decoded);

// Parses a JSON string's raw content as a time; nullopt when it is not a time.
std::optional<Instant> read_raw_time(std::string_view raw);

// Order keys: bytes whose memcmp order is the order of records in a stream (cursor value, then record key), the same
// for both engines (design D17). Missing cursor values have a higher first byte, so they come last in ascending order.
// A descending read returns present values first and missing ones last.
//
//   0x10 | time, 8 bytes | key      0x20 | number, 8 bytes | integer tie-breaker, 8 bytes | key      0x30 | text, escaped | key
//   0xF0 | key                      no usable cursor value
inline constexpr unsigned char kMissingCursorTag = 0xF0;

// Times are compared as instants, numbers by value, other strings by bytes (cut at 256).
std::string order_key(const model::Stream& stream, const json::Value& data, std::string_view record_key);

// The first key of records whose cursor value is at least `value`, a time or number encoded as in an index
// (field_index.h).
std::string order_key_from(IndexKind kind, std::string_view value);
// The range of all order keys with a cursor value of that kind.
IndexRange order_keys_of(IndexKind kind);

}  // namespace ladder::store
