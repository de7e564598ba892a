// Decides which values are long: the rules shared by planning and splitting.
#pragma once

#include "base/error/error.h"
#include "base/limits.h"
#include "json/scan/scan.h"
#include "store/long_values/long_value.h"
#include "store/long_values/value_sink.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// An upper bound for references in a row: two 64-bit ids, sizes, a digest and the longest known MIME type. A value not
// longer than this never leaves its row, so times, keys and other small fields can always be read from it.
inline constexpr std::size_t kMaxReferenceBytes = 192;
static_assert(kMaxReferenceBytes >= limits::kMaxTimeTextBytes);
inline constexpr std::size_t kPieceBytes = 64 * limits::kKiB;  // of a long text in memory

bool is_long_string(const json::Value& string);         // more than kInlineStringChars code points once decoded
bool is_large_container(const json::Value& container);  // gets a directory
// Returns whether a member or element of a large container gets an id and a reference in the directory. A string of few
// but heavily escaped code points does too, so that no step along a path reads more than about 16 KiB.
bool leaves_container(const json::Value& value);

// Splits long values out of a record (design D3): short members stay in the row's JSON text byte for byte, long ones
// move to chunks, and objects and arrays over 16 KiB also get a directory (directory.h). Engine-neutral. Memory use is
// the depth of the record plus one piece of text, never a long value.

// The result of a first pass over `data`. Views point into the data text.
struct SplitPlan {
  struct Outlined {
    std::size_t member = 0;  // which top-level member, counted from 0
    json::Value value;
  };
  std::vector<Outlined> outlined;
  std::size_t inline_bytes = 0;  // of the row's body without the outlined values
  std::int64_t value_count = 0;  // ids needed: for moved values and for long strings and large containers nested in them
  std::int64_t text_bytes = 0;   // approximate bytes that will be put into the sink; decides between buffering and staging
};

// kInvalidRecord, naming the limit, when data can't be stored within the limits: row over kRecordRowBytes after all
// long values have left it, a value over kMaxValueBytes, too many members or long values.
Result<SplitPlan> plan_split(const json::Value& data);

// Puts every long value into the sink under ids first_id, first_id+1, … and returns the row's body.
Result<std::string> split_long_values(const json::Value& data, const SplitPlan& plan, ValueId first_id, ValueSink& sink);

// Names of the top-level fields that were added, removed or changed between two row bodies; references are compared by
// content.
std::vector<std::string> changed_fields(std::string_view old_body, std::string_view new_body);

}  // namespace ladder::store
