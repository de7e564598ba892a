#include "mcp/budget.h"

#include "json/writer.h"

namespace ladder::mcp {

// As json::append_escaped writes it: two bytes for the short escapes, six for the other controls.
std::size_t escaped_bytes(std::string_view valid_utf8) {
  std::size_t bytes = valid_utf8.size();
  for (const char c : valid_utf8) {
    if (c == '"' || c == '\\' || c == '\n' || c == '\r' || c == '\t' || c == '\b' || c == '\f') bytes += 1;
    else if (static_cast<unsigned char>(c) < 0x20) bytes += 5;
  }
  return bytes;
}

std::size_t result_bytes(const ToolResult& result) {
  std::size_t bytes = kResultFrameBytes + escaped_bytes(result.text) + result.structured.size() + result.meta.size();
  for (const std::string& link : result.links) bytes += link.size() + 1;
  return bytes;
}

}  // namespace ladder::mcp
