// Calls the tools and resources over any port, and checks each response against its limit and output schema.
#pragma once

#include "api/resource_port.h"
#include "base/text/base64.h"
#include "mcp/testing/tool_bench.h"

#include <string>
#include <string_view>

namespace ladder::mcp::testing {

class ToolCaller {
 public:
  explicit ToolCaller(api::ResourcePort& port, std::string provider_url = "https://ladder.example") : port_(port) {
    options_.fence_key = std::string(32, 'k');
    options_.provider_url = std::move(provider_url);
  }

  Answer call(const ToolCall& call) { return this->call(call.tool, call.args); }
  Answer call(std::string_view tool, std::string_view args) {
    Answer answer;
    answer.result = find_tool(tool)->call({port_, options_, {}, "r"}, boost::json::parse(std::string(args)).as_object());
    EXPECT_LE(result_bytes(answer.result), options_.result_bytes);
    if (answer.result.is_error) {
      answer.error = boost::json::parse(answer.lines().front()).at("error");
      return answer;
    }
    const auto schema = json::Schema::compile(boost::json::parse(find_tool(tool)->output_schema));
    EXPECT_FALSE(schema->validate(json::value_of(answer.result.structured))) << answer.result.structured;
    answer.structured = boost::json::parse(answer.result.structured);
    if (!answer.result.meta.empty()) answer.meta = boost::json::parse(answer.result.meta);
    return answer;
  }
  std::variant<ResourceRead, ResourceFailure> read(std::string_view uri) {
    return read_resource({port_, options_, {}, "r"}, uri);
  }
  // Reads all bytes of a blob URI, piece by piece.
  std::string read_blob(std::string uri) {
    std::string bytes;
    while (!uri.empty()) {
      const auto read = this->read(uri);
      const auto* const piece = std::get_if<ResourceRead>(&read);
      EXPECT_NE(piece, nullptr) << uri;
      if (piece == nullptr) break;
      bytes += base64::decode(*piece->items.at(0).blob).value_or("");
      const auto next = boost::json::parse(piece->meta).at("dev.pdpp/resource").at("next_uri");
      uri = next.is_null() ? "" : std::string(next.as_string());
    }
    return bytes;
  }

 private:
  api::ResourcePort& port_;
  Options options_;
};

}  // namespace ladder::mcp::testing
