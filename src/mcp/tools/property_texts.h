// Descriptions of the tools' input properties, in one table: a shared property has the same description in all tools.
#pragma once

#include <string>
#include <string_view>

namespace ladder::mcp {

// Adds a description to every known property of a tool's input schema.
std::string with_property_texts(std::string_view tool, std::string schema);

}  // namespace ladder::mcp
