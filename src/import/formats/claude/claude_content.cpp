#include "import/formats/claude/claude_content.h"

#include "base/text/format.h"
#include "import/json/json_members.h"

#include <algorithm>
#include <string_view>

namespace ladder::imports::claude {
namespace {

using json::Kind;
using json::Value;

void add_paragraph(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty()) text += "\n\n";
  text += more;
}

void add_line(std::string& text, std::string_view more) {
  if (more.empty()) return;
  if (!text.empty() && !text.ends_with('\n')) text += '\n';
  text += more;
}

// Formats the arguments as `name: value` lines with decoded strings, because arguments may contain whole documents.
std::string arguments_text(const Value& input) {
  if (input.kind == Kind::kString) return text_of(input);
  if (input.kind != Kind::kObject) return input.kind == Kind::kNull ? std::string() : compact(input.text);
  std::string text;
  for (json::Members member(input.text); member.next();) {
    const Value& value = member.value();
    add_line(text, format("{}: {}", json::decode_string(member.raw_name()),
                          value.kind == Kind::kString ? text_of(value) : compact(value.text)));
  }
  return text;
}

// Returns the result of a tool: text, text blocks, or search results.
std::string result_text(const Value& content) {
  if (content.kind == Kind::kString) return text_of(content);
  std::string text;
  if (content.kind != Kind::kArray) return text;
  for (json::Elements part(content.text); part.next();) {
    const auto [type, own, title, url] = members_of<4>(part.value(), {"type", "text", "title", "url"});
    if (part.value().kind == Kind::kString) add_line(text, text_of(part.value()));
    add_line(text, text_of(title));
    add_line(text, text_of(url));
    add_line(text, text_of(own));
    if (own.kind != Kind::kString && title.kind != Kind::kString && type.kind == Kind::kString)
      add_line(text, format("[{}]", text_of(type)));
  }
  return text;
}

void add_tool(Content& content, std::string_view heading, const Value& block, const std::string& text) {
  const std::string name = text_of(block, "name");
  if (!name.empty() && std::ranges::find(content.tools, name) == content.tools.end()) content.tools.push_back(name);
  std::string whole = name.empty() ? format("[{}]", heading) : format("[{} {}]", heading, name);
  add_line(whole, text);
  add_paragraph(content.tool_text, whole);
}

void add_block(Content& content, const Value& block) {
  const std::string type = text_of(block, "type");
  if (block.kind == Kind::kString) return add_paragraph(content.text, text_of(block));
  if (type == "text") return add_paragraph(content.text, text_of(block, "text"));
  if (type == "voice_note") {
    add_paragraph(content.text, text_of(block, "title"));
    return add_paragraph(content.text, text_of(block, "text"));
  }
  if (type == "thinking") return add_paragraph(content.thinking, text_of(block, "thinking"));
  if (type == "redacted_thinking") return add_paragraph(content.thinking, "[reasoning that the export does not show]");
  if (type == "tool_use" || type == "server_tool_use")
    return add_tool(content, "asked", block, arguments_text(member_of(block, "input")));
  if (type == "tool_result" || type.ends_with("_tool_result"))
    return add_tool(content, is_true(member_of(block, "is_error")) ? "failed" : "answered", block,
                    result_text(member_of(block, "content")));
  if (type == "token_budget" || type == "flag") return;  // accounting only
  content.unknown.push_back(block);
  add_paragraph(content.text, text_of(block, "text"));
}

}  // namespace

Content read_content(const Value& blocks, const Value& text) {
  Content content;
  if (blocks.kind == Kind::kArray) {
    for (json::Elements block(blocks.text); block.next();) add_block(content, block.value());
  }
  if (content.text.empty()) content.text = text_of(text);
  return content;
}

}  // namespace ladder::imports::claude
