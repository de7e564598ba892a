// The tools and resources over any port, each answer held to its bound and its output schema.
#pragma once

#include "mcp/testing/tool_bench.h"
#include "port/resource_port.h"

#include <string>
#include <string_view>

namespace ladder::port_tests {

using mcp::testing::Answer;
using mcp::testing::json_text;

class ToolCaller {
 public:
  explicit ToolCaller(port::ResourcePort& port, std::string provider_url = "https://ladder.example") : port_(port) {
    options_.fence_key = std::string(32, 'k');
    options_.provider_url = std::move(provider_url);
  }

  Answer call(const mcp::ToolCall& call) { return this->call(call.tool, call.args); }
  Answer call(std::string_view tool, std::string_view args) {
    Answer answer;
    answer.result = mcp::find_tool(tool)->call({port_, options_, {}, "r"}, boost::json::parse(std::string(args)).as_object());
    EXPECT_LE(mcp::result_bytes(answer.result), options_.result_bytes);
    if (answer.result.is_error) {
      answer.error = boost::json::parse(answer.lines().front()).at("error");
      return answer;
    }
    const auto schema = json::Schema::compile(boost::json::parse(mcp::find_tool(tool)->output_schema));
    EXPECT_FALSE(schema->validate(json::value_of(answer.result.structured))) << answer.result.structured;
    answer.structured = boost::json::parse(answer.result.structured);
    if (!answer.result.meta.empty()) answer.meta = boost::json::parse(answer.result.meta);
    return answer;
  }
  std::variant<mcp::ResourceRead, mcp::ResourceFailure> read(std::string_view uri) {
    return mcp::read_resource({port_, options_, {}, "r"}, uri);
  }

 private:
  port::ResourcePort& port_;
  mcp::Options options_;
};

}  // namespace ladder::port_tests
