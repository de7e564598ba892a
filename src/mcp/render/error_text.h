// Errors for a model (design D9): one text with a line of compact JSON and one sentence. structuredContent is not used, since
// some hosts drop it from errors and others show only that.
#pragma once

#include "base/error/error.h"
#include "mcp/context.h"
#include "mcp/render/calls.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::mcp {

// `retry`: a call that would succeed.
ToolResult error_result(const Error& error, const std::optional<ToolCall>& retry = std::nullopt);

// Writes the members of the JSON line's `error`; also used for resources.
void write_error(json::Writer& out, const Error& error, const std::optional<ToolCall>& retry);

// Returns the retry hint for a failed call. All tools share it, since the same error has the same remedy. Tools with a better
// hint (remove a cursor, omit an expand) check for that first.

// `stream` and `connection_id` are as requested; empty if they were absent.
ToolCall schema_call(std::string_view stream, std::string_view connection_id);
std::optional<ToolCall> retry_hint(const Error& error, std::string_view stream, std::string_view connection_id);

}  // namespace ladder::mcp
