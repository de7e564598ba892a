#include "rest/window_call.h"

#include "mcp/tool.h"

#include <algorithm>
#include <vector>

namespace ladder::rest {
namespace {

// The strings behind a quoted name, wherever it stands; an empty one where something else follows.
std::vector<std::string_view> values_after(std::string_view json, std::string_view quoted_name) {
  std::vector<std::string_view> values;
  for (std::size_t name = json.find(quoted_name); name != json.npos; name = json.find(quoted_name, name + 1)) {
    const std::size_t open = json.find_first_not_of(": \t\r\n", name + quoted_name.size());
    const bool is_string = open != json.npos && json[open] == '"';
    values.push_back(is_string ? json.substr(open + 1, json.find('"', open + 1) - open - 1) : std::string_view());
  }
  return values;
}

}  // namespace

std::optional<WindowCall> window_call(std::string_view body) {
  constexpr std::string_view kTool = "read_record_field";
  const auto has = [&](std::string_view part) { return body.find(part) != std::string_view::npos; };
  if (has("\\") || has("[") || has(R"("q")") || has("resources/") || !has(R"("tools/call")")) return std::nullopt;
  const auto names = values_after(body, R"("name")");  // a client says its own, too
  const auto is_other_tool = [&](std::string_view name) { return name != kTool && mcp::find_tool(name) != nullptr; };
  if (std::ranges::find(names, kTool) == names.end() || std::ranges::any_of(names, is_other_tool)) return std::nullopt;
  const auto cursors = values_after(body, R"("cursor")");
  if (cursors.empty()) return WindowCall{};
  if (cursors.size() > 1 || cursors.front().empty()) return std::nullopt;
  return WindowCall{cursors.front()};
}

}  // namespace ladder::rest
