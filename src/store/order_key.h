// Ordering keys: bytes whose memcmp order is the order of records in a stream (cursor value, then record key), made here for both
// engines (design D17). Missing cursor values carry a higher first byte, so they come last ascending; a descending read takes the
// present ones first and the missing ones after.
//
//   0x10 | time, 8 bytes | key      0x20 | number, 8 bytes | integer tie-breaker, 8 bytes | key      0x30 | text, escaped | key
//   0xF0 | key                      no usable cursor value
#pragma once

#include "json/scan.h"
#include "model/declaration.h"
#include "store/rows.h"

#include <string>
#include <string_view>

namespace ladder::store {

inline constexpr unsigned char kMissingCursorTag = 0xF0;

// Times are compared as instants, numbers by value, other strings by bytes (cut at 256).
std::string order_key(const model::Stream& stream, const json::Value& data, std::string_view record_key);

// Where the records whose cursor value is at least `value` begin, a time or number as an index has it (field_index.h).
std::string order_key_from(IndexKind kind, std::string_view value);
// Every ordering key with a cursor value of that kind.
IndexRange order_keys_of(IndexKind kind);

}  // namespace ladder::store
