// Rows of the acceptance table through POST /mcp of the real program (docs/inside/acceptance.md).
#include "rest_fixture.h"

#include <boost/json.hpp>

namespace ladder::wire {
namespace {

class McpRowsOverHttp : public Rest {
 protected:
  McpRowsOverHttp() {
    std::string body;
    for (int i = 0; i < 2'000; ++i) body += format("{} words ", i);
    put("n1", text_member("body", body) + "," + text_member("secret", "hidden"));
    put("n2", text_member("body", "small") + "," + text_member("secret", "hidden"));
    body_ = body;
  }

  boost::json::value ask(std::string_view method, const boost::json::value& params, const std::string& token) {
    const boost::json::value message{{"jsonrpc", "2.0"}, {"id", 1}, {"method", method}, {"params", params}};
    const Answer answer =
        send("POST", "/mcp", token, boost::json::serialize(message),
             headers({{"Content-Type", "application/json"}, {"Accept", "application/json, text/event-stream"}}));
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.body.contains("result") ? answer.body.at("result") : answer.body.at("error");
  }
  boost::json::value call(std::string_view tool, const boost::json::value& arguments, const std::string& token) {
    return ask("tools/call", {{"name", tool}, {"arguments", arguments}, {"_meta", {{"dev.pdpp/resources", true}}}}, token);
  }
  static std::string text(const boost::json::value& result) {
    return std::string(result.at("content").at(0).at("text").as_string());
  }

  std::string body_;
};

TEST_P(McpRowsOverHttp, ListsSixToolsWithTheirAnnotations) {
  const auto tools =
      ask("tools/list", boost::json::object{}, token_for({"work", "notes", {"id", "body"}, {}, {}, {}})).at("tools");
  ASSERT_EQ(tools.as_array().size(), 6U);
  for (const auto& tool : tools.as_array()) {
    EXPECT_EQ(tool.at("annotations"), boost::json::parse(R"({"readOnlyHint":true,"destructiveHint":false,)"
                                                         R"("idempotentHint":true,"openWorldHint":false})"));
    EXPECT_EQ(tool.at("outputSchema").at("type"), "object");
  }
}

// Only the token of a request decides: different tokens alternate on one endpoint.
TEST_P(McpRowsOverHttp, EveryRequestUsesItsOwnToken) {
  const std::string narrow = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  const std::string wide = token_for({"work", "notes", {"id", "body", "secret"}, {}, {}, {}});
  const boost::json::value secret{{"id", "work/notes:n2"}, {"field_path", "secret"}};
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_NE(text(call("read_record_field", secret, narrow)).find("\"field_not_granted\""), std::string::npos);
    EXPECT_EQ(call("read_record_field", secret, wide).at("structuredContent").at("window").at("text"), "hidden");
  }
  const auto first = call("read_record_field", {{"id", "work/notes:n1"}, {"field_path", "body"}}, wide);
  const auto cursor = first.at("structuredContent").at("window").at("next_cursor");
  const auto foreign = call("read_record_field", {{"id", "work/notes:n1"}, {"field_path", "body"}, {"cursor", cursor}}, narrow);
  EXPECT_NE(text(foreign).find("\"cursor_mismatch\""), std::string::npos) << text(foreign);
  const auto uri = call("read_record_field", secret, wide).at("_meta").at("dev.pdpp/resource").at("uri");
  EXPECT_EQ(ask("resources/read", {{"uri", uri}}, narrow).at("data").at("code"), "field_not_granted");
}

TEST_P(McpRowsOverHttp, WindowsByToolAndByResourceAreEqual) {
  const std::string token = token_for({"work", "notes", {"id", "body"}, {}, {}, {}});
  const auto small = call("fetch", {{"id", "work/notes:n2"}, {"fields", boost::json::array{"body"}}}, token);
  EXPECT_EQ(small.at("content").as_array().size(), 1U);
  EXPECT_EQ(boost::json::parse(text(small)).at("text"), "body: small");
  auto window = call("read_record_field", {{"id", "work/notes:n1"}, {"field_path", "body"}}, token);
  std::string rebuilt;
  for (int windows = 0; windows < 20; ++windows) {
    const auto& resource = window.at("_meta").at("dev.pdpp/resource");
    const auto read = ask("resources/read", {{"uri", resource.at("uri")}}, token);
    EXPECT_EQ(read.at("contents").at(0).at("text"), window.at("content").at(0).at("text"));
    EXPECT_EQ(boost::json::parse(read.at("contents").at(1).at("text").as_string()).at("window"),
              window.at("structuredContent").at("window"));
    EXPECT_EQ(read.at("_meta").at("dev.pdpp/resource"), resource);
    rebuilt += std::string(window.at("structuredContent").at("window").at("text").as_string());
    const auto& next = window.at("structuredContent").at("window").at("next_cursor");
    if (next.is_null()) break;
    window = call("read_record_field", {{"id", "work/notes:n1"}, {"field_path", "body"}, {"cursor", next}}, token);
  }
  EXPECT_EQ(rebuilt, body_);
}

LADDER_FOR_EVERY_ENGINE(McpRowsOverHttp);

}  // namespace
}  // namespace ladder::wire
