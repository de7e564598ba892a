// Errors as a model reads them (design D9): one text, first a line of compact JSON, then one sentence; nothing else, since some
// hosts lose structuredContent with an error and others show only that.
#pragma once

#include "base/error.h"
#include "mcp/calls.h"
#include "mcp/tool.h"

#include <optional>
#include <string>

namespace ladder::mcp {

// `retry`: a call that works where this one did not.
ToolResult error_result(const Error& error, const std::optional<ToolCall>& retry = std::nullopt);

// The members of the JSON line's `error`, for resources, which fail with the same facts.
void write_error(json::Writer& out, const Error& error, const std::optional<ToolCall>& retry);

}  // namespace ladder::mcp
