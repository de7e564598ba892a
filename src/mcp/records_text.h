// A page of records as lines: one per record with its id and data, then one for each of its fields that is not shown whole, with
// the call that reads on (contract mcp-adapter 2.2).
#pragma once

#include "port/records.h"

#include <boost/json/object.hpp>

#include <string>

namespace ladder::mcp {

// `given`: the call's arguments, for the call of the next page.
std::string records_text(const std::string& stream, const port::RecordsPage& page, const boost::json::object& given);

// " warning code=… message=…" lines.
void append_warnings(std::string& text, const std::vector<port::Warning>& warnings);

}  // namespace ladder::mcp
