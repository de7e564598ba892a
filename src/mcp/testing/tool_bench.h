// Calls tools over a MemoryPort and checks every response: successes match their output schema and size limit, errors are one
// text without structuredContent, and no field-window URI is visible to a model (R5, R7, R186).
#pragma once

#include "json/parse.h"
#include "json/schema/schema.h"
#include "mcp/render/budget.h"
#include "mcp/render/calls.h"
#include "mcp/testing/memory_port.h"
#include "mcp/tools/resources.h"
#include "mcp/tools/tools.h"

#include <gtest/gtest.h>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace ladder::mcp::testing {

// Returns every `tool args={…}` in a text, in order: the calls that a model can see.
inline std::vector<ToolCall> calls_in(std::string_view text) {
  std::vector<ToolCall> calls;
  for (std::size_t at = text.find(" args={"); at != std::string_view::npos; at = text.find(" args={", at + 1)) {
    std::size_t begin = at;
    while (begin > 0 && (std::islower(static_cast<unsigned char>(text[begin - 1])) != 0 || text[begin - 1] == '_')) --begin;
    const std::size_t open = at + 6;
    std::size_t end = open;
    bool quoted = false;
    int depth = 0;
    do {
      const char c = text[end];
      if (quoted && c == '\\') ++end;
      else if (c == '"') quoted = !quoted;
      else if (!quoted && c == '{') ++depth;
      else if (!quoted && c == '}') --depth;
      ++end;
    } while (end < text.size() && depth > 0);
    calls.push_back({std::string(text.substr(begin, at - begin)), std::string(text.substr(open, end - open))});
  }
  return calls;
}

inline std::vector<std::string> lines_of(std::string_view text) {
  std::vector<std::string> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

struct Answer {
  ToolResult result;
  boost::json::value structured, meta, error;

  const std::string& text() const { return result.text; }
  std::vector<std::string> lines() const { return lines_of(result.text); }
  std::vector<ToolCall> calls() const { return calls_in(result.text); }
  std::string code() const { return error.is_object() ? std::string(error.at("code").as_string()) : ""; }
  const boost::json::value& at(std::string_view pointer) const { return structured.at_pointer(pointer); }
  std::string string_at(std::string_view pointer) const { return std::string(at(pointer).as_string()); }
  std::int64_t number_at(std::string_view pointer) const { return at(pointer).to_number<std::int64_t>(); }
  bool has(std::string_view part) const { return result.text.find(part) != std::string::npos; }
};

class ToolBench {
 public:
  MemoryPort port;
  Options options;

  ToolBench() {
    options.fence_key = std::string(32, 'k');
    options.provider_url = "https://ladder.example";
  }

  StoredRecord& add(const std::string& stream, const std::string& key, const std::string& data,
                    const std::string& connection = "cin_a") {
    port.stored.push_back({{connection, stream, key}, data});
    return port.stored.back();
  }

  Answer call(const ToolCall& call) { return this->call(call.tool, call.args); }

  Answer call(std::string_view name, std::string_view arguments) {
    const Tool* const tool = find_tool(name);
    EXPECT_NE(tool, nullptr) << name;
    Answer answer;
    if (tool == nullptr) return answer;
    const Context context{port, options, {}, "req-1"};
    answer.result =
        tool->call(context, boost::json::parse(boost::json::string_view(arguments.data(), arguments.size())).as_object());
    const ToolResult& result = answer.result;
    EXPECT_FALSE(result.text.empty());
    EXPECT_LE(result_bytes(result), options.result_bytes) << name << " " << arguments;
    if (!result.meta.empty()) answer.meta = boost::json::parse(result.meta);
    if (result.is_error) {
      EXPECT_TRUE(result.structured.empty());
      EXPECT_EQ(answer.lines().size(), 2U) << result.text;
      answer.error = boost::json::parse(answer.lines().front()).at("error");
      EXPECT_EQ(answer.code(), result.outcome);
      return answer;
    }
    EXPECT_EQ(result.outcome, "ok");
    EXPECT_EQ(result.text.find("pdpp://field-window/"), std::string::npos);
    EXPECT_EQ(result.structured.find("pdpp://field-window/"), std::string::npos);
    answer.structured = boost::json::parse(result.structured);
    check_schema(*tool, result.structured);
    return answer;
  }

  std::variant<ResourceRead, ResourceFailure> read(std::string_view uri) {
    const Context context{port, options, {}, "req-1"};
    return read_resource(context, uri);
  }

  // Expects an error without any call to the resource server.
  Answer refused(std::string_view name, std::string_view arguments) {
    const std::size_t before = port.calls.size();
    Answer answer = call(name, arguments);
    EXPECT_TRUE(answer.result.is_error) << arguments;
    EXPECT_EQ(port.calls.size(), before) << arguments;
    return answer;
  }

 private:
  static void check_schema(const Tool& tool, std::string_view structured) {
    const auto schema = json::Schema::compile(boost::json::parse(tool.output_schema));
    ASSERT_TRUE(schema) << schema.error().message;
    EXPECT_TRUE(schema->unenforced().empty()) << tool.name;
    ASSERT_TRUE(json::check(structured, 64));
    const auto violation = schema->validate(json::value_of(structured));
    EXPECT_FALSE(violation) << tool.name << " " << violation->pointer << ": " << violation->message << "\n" << structured;
  }
};

inline std::string json_text(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

inline std::string repeated(std::string_view piece, std::size_t times) {
  std::string text;
  for (std::size_t i = 0; i < times; ++i) text += piece;
  return text;
}

// Returns the exact text between the fences; nullopt unless there is exactly one complete pair of lines.
inline std::optional<std::string> fenced_text(std::string_view text) {
  constexpr std::string_view kOpen = "⟪owner-data ", kClose = "⟫";
  const std::size_t open = text.find(kOpen);
  if (open == std::string_view::npos) return std::nullopt;
  const std::size_t key_end = text.find(kClose, open);
  const std::string key(text.substr(open + kOpen.size(), key_end - open - kOpen.size()));
  const std::size_t from = key_end + kClose.size() + 1;
  const std::string end = "\n⟪end owner-data " + key + "⟫";
  const std::size_t to = text.find(end);
  if (to == std::string_view::npos || to + end.size() != text.size()) return std::nullopt;
  return std::string(text.substr(from, to - from));
}

}  // namespace ladder::mcp::testing
