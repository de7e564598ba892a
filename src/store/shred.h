// Taking a record apart (design D3): short members stay in the row's JSON text byte for byte, long ones leave it for chunks, and
// objects and arrays over 16 KiB also get a directory (directory.h). Engine-neutral; memory is the depth of the record plus one
// piece of text, never a long value.
#pragma once

#include "base/result.h"
#include "json/scan.h"
#include "store/long_value.h"
#include "store/value_sink.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// What a first pass over `data` finds. Views point into the data text.
struct ShredPlan {
  struct Outlined {
    std::size_t member = 0;  // which top-level member, counted from 0
    json::Value value;
  };
  std::vector<Outlined> outlined;
  std::size_t inline_bytes = 0;  // of the row's body without the outlined values
  std::int64_t value_count = 0;  // ids needed: outlined values, and long strings and large containers nested in them
  std::int64_t text_bytes = 0;   // about how much will be put into the sink; decides between buffering and staging
};

// kInvalidRecord when data can't be stored within the limits (row over kRecordRowBytes after everything long has left it, a value
// over kMaxValueBytes, too many members or long values), naming the limit.
Result<ShredPlan> plan_shred(const json::Value& data);

// Puts every long value into the sink under ids first_id, first_id+1, … and returns the row's body.
Result<std::string> shred(const json::Value& data, const ShredPlan& plan, ValueId first_id, ValueSink& sink);

// Top-level fields that differ between two row bodies (by name): added, removed or of other bytes; references by content.
std::vector<std::string> changed_fields(std::string_view old_body, std::string_view new_body);

}  // namespace ladder::store
