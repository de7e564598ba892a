#include "mcp/budget.h"

#include "json/byte_runs.h"

namespace ladder::mcp {

// As json::append_escaped writes it: two bytes for the short escapes, six for the other controls.
std::size_t escaped_bytes(std::string_view valid_utf8) {
  const char* const end = valid_utf8.data() + valid_utf8.size();
  std::size_t bytes = valid_utf8.size();
  for (const char* at = valid_utf8.data(); (at = json::bytes::find_escapable(at, end)) != end; ++at) {
    const char c = *at;
    const bool short_escape = c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f';
    bytes += short_escape ? 1 : 5;
  }
  return bytes;
}

std::size_t result_bytes(const ToolResult& result) {
  std::size_t bytes = kResultFrameBytes + escaped_bytes(result.text) + result.structured.size() + result.meta.size();
  for (const std::string& link : result.links) bytes += link.size() + 1;
  return bytes;
}

}  // namespace ladder::mcp
