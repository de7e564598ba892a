// What is long: the rules that the plan and the taking apart of a record share.
#pragma once

#include "base/limits.h"
#include "json/scan.h"

#include <cstddef>

namespace ladder::store {

// No reference in a row is longer: two 64-bit ids, sizes, a digest and the longest MIME type that is known. A value not longer
// than this never leaves its row, so times, keys and other small fields can always be read from it.
inline constexpr std::size_t kMaxReferenceBytes = 192;
static_assert(kMaxReferenceBytes >= limits::kMaxTimeTextBytes);
inline constexpr std::size_t kPieceBytes = 64 * limits::kKiB;  // of a long text in memory

bool is_long_string(const json::Value& string);         // more than kInlineStringChars code points once decoded
bool is_large_container(const json::Value& container);  // gets a directory
// Of a member or element of a large container: gets an id and a reference in the directory. A string of few but much escaped code
// points does too, so that no step along a path reads more than about 16 KiB.
bool leaves_container(const json::Value& value);

}  // namespace ladder::store
