// ladder mcp: change notifications for a host, in both eras. Other processes over the same store make the changes.
#include "owner.h"

#include <boost/json.hpp>

namespace ladder::e2e {
namespace {

using std::chrono_literals::operator""ms;

constexpr std::string_view kMeta =
    R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}})";
constexpr std::string_view kSubscriptionId = "io.modelcontextprotocol/subscriptionId";
// Longer than the watch interval; a notification that has not arrived by then does not come.
constexpr auto kQuiet = 2500ms;

std::string request(std::string_view id, std::string_view method, const std::string& params) {
  return R"({"jsonrpc":"2.0","id":)" + std::string(id) + R"(,"method":")" + std::string(method) + R"(","params":{)" + params +
         "}}\n";
}

std::string listen(std::string_view id, std::string_view notifications) {
  return request(id, "subscriptions/listen", R"("notifications":)" + std::string(notifications) + "," + std::string(kMeta));
}

class McpSubscriptions : public EveryEngine {
 protected:
  McpSubscriptions() {
    owner.set_up();
    EXPECT_EQ(owner.ingest(note("n1", "the third clock") + note("n2", "a secret")).exit_code, 0);
    const auto issued = owner.json({"grant", "create", "--client", "agent", "--stream", "notes:id,body", "--record", "n1"});
    owner.surroundings().environment["LADDER_TOKEN"] = text_at(issued, "/token");
    grant = std::string(issued.at("grant_ids").as_array().front().as_string());
  }
  void write_note(std::string_view id, std::string_view body) { EXPECT_EQ(owner.ingest(note(id, body)).exit_code, 0); }

  std::string grant;
};

boost::json::value next(Process& host) {
  const auto line = host.read_line();
  EXPECT_TRUE(line) << "no message came";
  return line ? boost::json::parse(*line) : boost::json::value(nullptr);
}

std::string id_of(const boost::json::value& message) {
  return boost::json::serialize(message.at("params").at("_meta").at(kSubscriptionId));
}

TEST_P(McpSubscriptions, AModernHostIsNotifiedUntilItCancels) {
  Process host(owner.surroundings(), {"mcp"});
  host.write(request("0", "server/discover", std::string(kMeta)));
  EXPECT_EQ(boost::json::serialize(next(host).at("result").at("capabilities").at("resources")),
            R"({"subscribe":true,"listChanged":true})");

  // Subscriptions to unreadable resources are not honored, whether the resources exist or not; nor are lists that never
  // change.
  host.write(listen("7",
                    R"({"toolsListChanged":true,"resourceSubscriptions":["pdpp://stream/notes","pdpp://stream/log",)"
                    R"("pdpp://record/home%2Fnotes%3An1","pdpp://record/home%2Fnotes%3An2","pdpp://record/home%2Fnotes%3Axx",)"
                    R"("pdpp://blob/x","test://other"]})"));
  const auto acknowledged = next(host);
  EXPECT_EQ(text_at(acknowledged, "/method"), "notifications/subscriptions/acknowledged");
  EXPECT_EQ(id_of(acknowledged), "7");
  EXPECT_EQ(boost::json::serialize(acknowledged.at("params").at("notifications")),
            R"({"resourceSubscriptions":["pdpp://stream/notes","pdpp://record/home%2Fnotes%3An1"]})");

  write_note("n1", "the fourth clock");
  std::vector<std::string> updated;
  for (int i = 0; i < 2; ++i) {
    const auto message = next(host);
    EXPECT_EQ(text_at(message, "/method"), "notifications/resources/updated");
    EXPECT_EQ(id_of(message), "7");
    updated.push_back(text_at(message, "/params/uri"));
  }
  std::ranges::sort(updated);
  EXPECT_EQ(updated, (std::vector<std::string>{"pdpp://record/home%2Fnotes%3An1", "pdpp://stream/notes"}));

  write_note("n2", "another secret");
  write_note("n3", "a new one");
  EXPECT_EQ(host.read_line(kQuiet), std::nullopt) << "ungranted changes are not reported";

  host.write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}})"
             "\n");
  host.write(request("8", "tools/list", std::string(kMeta)));
  EXPECT_EQ(number_at(next(host), "/id"), 8) << "so that it has received the earlier changes";
  write_note("n1", "the fifth clock");
  EXPECT_EQ(host.read_line(kQuiet), std::nullopt) << "a cancelled subscription reports nothing";
  host.close_input();
  EXPECT_EQ(host.wait().exit_code, 0);
}

TEST_P(McpSubscriptions, ARevokedGrantNotifiesAndEndsTheSubscription) {
  Process host(owner.surroundings(), {"mcp"});
  host.write(listen("\"s\"", R"({"resourcesListChanged":true,"resourceSubscriptions":["pdpp://stream/notes"]})"));
  EXPECT_EQ(boost::json::serialize(next(host).at("params").at("notifications")),
            R"({"resourcesListChanged":true,"resourceSubscriptions":["pdpp://stream/notes"]})");
  owner.done({"grant", "revoke", grant});
  const auto changed = next(host);
  EXPECT_EQ(text_at(changed, "/method"), "notifications/resources/list_changed");
  EXPECT_EQ(id_of(changed), "\"s\"");
  const auto updated = next(host);
  EXPECT_EQ(text_at(updated, "/params/uri"), "pdpp://stream/notes");
  const auto end = next(host);
  EXPECT_EQ(text_at(end, "/id"), "s");
  EXPECT_EQ(text_at(end, "/result/resultType"), "complete");
  EXPECT_EQ(end.at("result").at("_meta").at(kSubscriptionId).as_string(), "s");
  host.close_input();
  EXPECT_EQ(host.wait().exit_code, 0);
}

TEST_P(McpSubscriptions, EndWithTheInputAndAreBounded) {
  Process host(owner.surroundings(), {"mcp"});
  for (int id = 1; id <= 8; ++id) {
    host.write(listen(std::to_string(id), R"({"resourcesListChanged":true})"));
    EXPECT_EQ(id_of(next(host)), std::to_string(id));
  }
  host.write(listen("9", R"({"resourcesListChanged":true})"));
  const auto refused = next(host);
  EXPECT_EQ(number_at(refused, "/id"), 9);
  EXPECT_EQ(text_at(refused, "/error/data/code"), "rate_limit_exceeded");
  host.write(R"({"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}})"
             "\n" +
             listen("10", R"({"resourcesListChanged":true})"));
  EXPECT_EQ(id_of(next(host)), "10") << "in the place of the one that was cancelled";
  host.write(request("11", "subscriptions/listen", std::string(kMeta)));
  EXPECT_EQ(number_at(next(host), "/error/code"), -32602);
  host.close_input();
  const Outcome outcome = host.wait();
  EXPECT_EQ(outcome.exit_code, 0);
  std::size_t ended = 0;
  for (std::size_t at = 0; (at = outcome.out.find(R"("resultType":"complete")", at)) != std::string::npos; ++at) ++ended;
  EXPECT_EQ(ended, 8U) << outcome.summary();
}

TEST_P(McpSubscriptions, ALegacyHostSubscribesAndUnsubscribes) {
  Process host(owner.surroundings(), {"mcp"});
  host.write(request("1", "initialize", R"("protocolVersion":"2025-11-25","capabilities":{})"));
  EXPECT_EQ(boost::json::serialize(next(host).at("result").at("capabilities").at("resources")), R"({"subscribe":true})");
  host.write(request("2", "resources/subscribe", R"("uri":"pdpp://record/home%2Fnotes%3An1")"));
  EXPECT_EQ(boost::json::serialize(next(host).at("result")), "{}");
  for (const char* uri : {"pdpp://record/home%2Fnotes%3An2", "pdpp://record/home%2Fnotes%3Axx", "test://watched-resource"}) {
    host.write(request("3", "resources/subscribe", R"("uri":")" + std::string(uri) + "\""));
    const auto refused = next(host);
    EXPECT_EQ(number_at(refused, "/error/code"), -32002) << uri;
    EXPECT_EQ(text_at(refused, "/error/data/uri"), uri);
  }
  host.write(request("4", "subscriptions/listen", R"("notifications":{})"));
  EXPECT_EQ(number_at(next(host), "/error/code"), -32601);

  write_note("n1", "the fourth clock");
  EXPECT_EQ(boost::json::serialize(next(host)),
            R"({"jsonrpc":"2.0","method":"notifications/resources/updated","params":{"uri":"pdpp://record/home%2Fnotes%3An1"}})");
  write_note("n2", "another secret");
  EXPECT_EQ(host.read_line(kQuiet), std::nullopt);
  host.write(request("5", "resources/unsubscribe", R"("uri":"pdpp://record/home%2Fnotes%3An1")"));
  EXPECT_EQ(boost::json::serialize(next(host).at("result")), "{}");
  write_note("n1", "the fifth clock");
  EXPECT_EQ(host.read_line(kQuiet), std::nullopt);

  host.write(request("6", "resources/subscribe", R"("uri":"pdpp://record/home%2Fnotes%3An1")"));
  next(host);
  owner.done({"grant", "revoke", grant});
  EXPECT_EQ(text_at(next(host), "/params/uri"), "pdpp://record/home%2Fnotes%3An1") << "it can no longer be read";
  host.write(request("7", "resources/subscribe", R"("uri":"pdpp://record/home%2Fnotes%3An1")"));
  EXPECT_EQ(text_at(next(host), "/error/data/code"), "grant_revoked");
  host.close_input();
  EXPECT_EQ(host.wait().exit_code, 0);
}

// A host without a token can watch nothing, and the server declares no subscriptions.
TEST_P(McpSubscriptions, WithoutATokenNothingIsOffered) {
  owner.surroundings().environment.erase("LADDER_TOKEN");
  const Outcome outcome = owner.ladder(
      {"mcp"}, request("1", "server/discover", std::string(kMeta)) + listen("2", R"({"resourcesListChanged":true})"));
  EXPECT_NE(outcome.out.find(R"("resources":{},)"), std::string::npos) << outcome.summary();
  EXPECT_NE(outcome.out.find("-32601"), std::string::npos) << outcome.summary();
}

LADDER_FOR_EVERY_ENGINE(McpSubscriptions);

}  // namespace
}  // namespace ladder::e2e
