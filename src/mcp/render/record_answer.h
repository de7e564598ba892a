// Records for a response: trimmed, with their content ladder.
#pragma once

#include "api/content_ladder.h"
#include "api/records.h"

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder::mcp {

// Truncates long strings and hides base64, in the record and its expanded records.
void trim_record(api::Record& record, std::int64_t max_chars);

// Returns the ladder entries of a trimmed record: truncated fields and blobs. Empty if there are none.
api::LadderRecord ladder_of(const api::Record& record);

// Adds the ladders of a record and its expanded records.
void add_ladder(const api::Record& record, std::vector<api::LadderRecord>& into);

inline constexpr std::size_t kMaxBlobs = 8;  // listed blob references per record

// Renders a page of records as lines: one per record with id and data, then one for each field that is not shown completely,
// with the call that continues reading (PDPP "tools").

// `given`: the call's arguments, to build the call for the next page.
std::string records_text(const std::string& stream, const api::RecordsPage& page, const boost::json::object& given);

// Appends " warning code=… message=…" lines.
void append_warnings(std::string& text, const std::vector<api::Warning>& warnings);

}  // namespace ladder::mcp
