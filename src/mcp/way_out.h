// Where a refused call can go on: one rule for every tool, since the same refusal has the same way out. Tools with a better one
// (a cursor to leave out, an expand to do without) look there first.
#pragma once

#include "base/error.h"
#include "mcp/calls.h"

#include <optional>
#include <string_view>

namespace ladder::mcp {

// `stream` and `connection_id` as they were asked for; empty where they were not.
ToolCall schema_call(std::string_view stream, std::string_view connection_id);
std::optional<ToolCall> way_out(const Error& error, std::string_view stream, std::string_view connection_id);

}  // namespace ladder::mcp
