// Errors as a model reads them (design D9): one text, first a line of compact JSON, then one sentence; nothing else, since some
// hosts lose structuredContent with an error and others show only that.
#pragma once

#include "base/error/error.h"
#include "mcp/tools/calls.h"
#include "mcp/tools/tools.h"

#include <optional>
#include <string>
#include <string_view>

namespace ladder::mcp {

// `retry`: a call that works where this one did not.
ToolResult error_result(const Error& error, const std::optional<ToolCall>& retry = std::nullopt);

// The members of the JSON line's `error`, for resources, which fail with the same facts.
void write_error(json::Writer& out, const Error& error, const std::optional<ToolCall>& retry);

// The retry hint of a refused call: one rule for every tool, since the same refusal has the same remedy. Tools with a better one
// (a cursor to leave out, an expand to do without) look there first.

// `stream` and `connection_id` as they were asked for; empty where they were not.
ToolCall schema_call(std::string_view stream, std::string_view connection_id);
std::optional<ToolCall> retry_hint(const Error& error, std::string_view stream, std::string_view connection_id);

}  // namespace ladder::mcp
