#include "rest/window_call.h"

#include "mcp/tool.h"

namespace ladder::rest {
namespace {

constexpr std::string_view kTool = "read_record_field";

// The string behind the name that ends before `at`; empty where something else follows.
std::string_view value_after(std::string_view json, std::size_t at) {
  const std::size_t open = json.find_first_not_of(": \t\r\n", at);
  if (open == json.npos || json[open] != '"') return {};
  return json.substr(open + 1, json.find('"', open + 1) - open - 1);
}

}  // namespace

// One look at every string, since this stands before each call.
std::optional<WindowCall> window_call(std::string_view body) {
  if (body.find('\\') != body.npos || body.find('[') != body.npos) return std::nullopt;
  bool calls = false, names_it = false;
  WindowCall call;
  for (std::size_t open = body.find('"'); open != body.npos;) {
    const std::size_t close = body.find('"', open + 1);
    if (close == body.npos) return std::nullopt;
    const std::string_view text = body.substr(open + 1, close - open - 1);
    if (text == "q" || text.find("resources/") != text.npos) return std::nullopt;
    if (text == "tools/call") calls = true;
    if (text == "name") {  // a client says its own, too
      const std::string_view name = value_after(body, close + 1);
      if (name == kTool) names_it = true;
      else if (mcp::find_tool(name) != nullptr) return std::nullopt;
    }
    if (text == "cursor") {
      const std::string_view cursor = value_after(body, close + 1);
      if (cursor.empty() || !call.cursor.empty()) return std::nullopt;
      call.cursor = cursor;
    }
    open = body.find('"', close + 1);
  }
  if (!calls || !names_it) return std::nullopt;
  return call;
}

}  // namespace ladder::rest
