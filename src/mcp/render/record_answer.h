// Records as an answer shows them: trimmed, with what the ladder says of them.
#pragma once

#include "api/ladder.h"
#include "api/records.h"

#include <boost/json/object.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ladder::mcp {

// Cuts what is long and hides base64, in the record and in those expanded inside it.
void trim_record(api::Record& record, std::int64_t max_chars);

// The ladder entries of a trimmed record: cuts and blobs. No entries: no fields.
api::LadderRecord ladder_of(const api::Record& record);

// Of a record and those expanded inside it: every one of them, since its id stands there.
void add_ladder(const api::Record& record, std::vector<api::LadderRecord>& into);

inline constexpr std::size_t kMaxBlobs = 8;  // blob references told of per record

// A page of records as lines: one per record with its id and data, then one for each of its fields that is not shown whole, with
// the call that reads on (PDPP "tools").

// `given`: the call's arguments, for the call of the next page.
std::string records_text(const std::string& stream, const api::RecordsPage& page, const boost::json::object& given);

// " warning code=… message=…" lines.
void append_warnings(std::string& text, const std::vector<api::Warning>& warnings);

}  // namespace ladder::mcp
