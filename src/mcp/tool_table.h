// The six tools, one file each; tools.cpp puts them in order.
#pragma once

#include "mcp/tool.h"

#include <string_view>

namespace ladder::mcp {

Tool schema_tool();
Tool query_records_tool();
Tool aggregate_tool();
Tool search_tool();
Tool fetch_tool();
Tool read_record_field_tool();

// What several tools publish alike.
inline constexpr std::string_view kFilterSchema =
    R"({"type":"object","description":"Field to value, or to {gte|gt|lte|lt: value}; all must hold"})";
inline constexpr std::string_view kDataOutputSchema =
    R"({"type":"object","required":["data","provider_url","request_id"],"properties":{"data":{"type":"object"},)"
    R"("content_ladder":{"type":"object"},"provider_url":{"type":"string"},"request_id":{"type":["string","null"]}},)"
    R"("additionalProperties":false})";

}  // namespace ladder::mcp
