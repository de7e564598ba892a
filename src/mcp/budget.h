// How large a tool's answer is on the wire: UTF-8 bytes of the serialized result, _meta included (design D10).
#pragma once

#include "mcp/tool.h"

#include <cstddef>
#include <string_view>

namespace ladder::mcp {

// What the protocol adds around an answer in either era: the names of members, resultType, the server's name in _meta.
inline constexpr std::size_t kResultFrameBytes = 400;

std::size_t escaped_bytes(std::string_view valid_utf8);  // of a text inside a JSON string, without its quotes
std::size_t result_bytes(const ToolResult& result);

inline bool fits(const Context& context, const ToolResult& result) {
  return result_bytes(result) <= context.options.result_bytes;
}

}  // namespace ladder::mcp
