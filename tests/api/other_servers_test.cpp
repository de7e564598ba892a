// The adapter over other servers: token kinds, values without windows, and responses that Ladder would not give.
#include "both_ports.h"
#include "mcp/testing/tool_caller.h"
#include "model/handle.h"
#include "support/reference_server.h"

#include <boost/json.hpp>

namespace ladder::api_tests {
namespace {

using mcp::ResourceFailure;
using mcp::ResourceRead;
using mcp::ToolCall;
using mcp::testing::Answer;
using mcp::testing::json_text;
using mcp::testing::ToolCaller;
using test_support::ReferenceServer;
using Targets = std::vector<std::string>;
namespace bj = boost::json;

// Credentials that change and whose kind may be known from the token store.
class ChangingToken final : public remote::Credentials {
 public:
  explicit ChangingToken(std::string token, bool is_client = false) : token_(std::move(token)), is_client_(is_client) {}
  Result<std::string> token() override { return token_; }
  std::optional<std::string> instead_of(const std::string&) override { return next.empty() ? std::nullopt : std::optional(next); }
  std::string grant_id() const override { return {}; }
  std::string origin() const override { return "of a test"; }
  bool is_known_client(const std::string&) override { return is_client_; }
  std::string next;

 private:
  std::string token_;
  bool is_client_;
};

class OtherServers : public ::testing::Test {
 protected:
  // The server has received no request yet.
  static std::unique_ptr<remote::RemotePort> fresh(const std::string& url, std::shared_ptr<remote::Credentials> credentials) {
    remote::RemoteOptions options;
    options.endpoint = must(remote::parse_endpoint(url));
    options.credentials = std::move(credentials);
    return must(remote::RemotePort::create(options));
  }
  void add(const std::string& key, const std::string& members, const std::string& connection = "cin_a") {
    server.records.push_back({connection, "notes", key, "{\"id\":" + json_text(key) + "," + members + "}"});
  }

  ReferenceServer server;
  const std::vector<ToolCall> every_tool = {
      {"schema", R"({"stream":"notes"})"},
      {"query_records", R"({"stream":"notes"})"},
      {"aggregate", R"({"stream":"notes","metric":"count"})"},
      {"search", R"({"query":"lazy"})"},
      {"fetch", R"({"id":"cin_a/notes:n1"})"},
      {"read_record_field", R"({"id":"cin_a/notes:n1","field_path":"body"})"},
  };
};

TEST_F(OtherServers, NoToolAcceptsAnOwnersToken) {
  add("n1", text_member("body", "the lazy dog"));
  const auto refuses = [&](const std::string& kind, const std::string& code) {
    server.token_kind = kind;
    for (const ToolCall& call : every_tool) {
      const auto port = fresh(server.url(), std::make_shared<remote::FixedToken>(server.token));
      ToolCaller agent(*port);
      for (int n = 0; n < 2; ++n) {
        const Answer answer = agent.call(call);
        EXPECT_EQ(answer.code(), code) << call.tool << " as call " << n << ": " << answer.text();
        EXPECT_EQ(answer.text().find("lazy dog"), std::string::npos);
      }
      for (const std::string& target : server.targets()) EXPECT_TRUE(target.starts_with("/v1/schema")) << target;
      const auto stream = agent.read("pdpp://stream/notes");
      EXPECT_TRUE(std::holds_alternative<ResourceFailure>(stream));
      EXPECT_EQ(port->blob({"b1", {}, 0, 10}, {}).error().wire(), code);
      for (const std::string& target : server.targets()) EXPECT_TRUE(target.starts_with("/v1/schema")) << target;
    }
  };
  refuses("owner", "permission_error");
  refuses("robot", "permission_error");
  refuses("", "rs_protocol_error");
}

TEST_F(OtherServers, TheTokensKindIsRequestedOnce) {
  add("n1", text_member("body", "the lazy dog"));
  const auto port = fresh(server.url(), std::make_shared<remote::FixedToken>(server.token));
  ToolCaller agent(*port);
  EXPECT_FALSE(agent.call("search", R"({"query":"lazy"})").result.is_error);
  EXPECT_EQ(server.targets(), (Targets{"/v1/schema?view=compact", "/v1/search?q=lazy&limit=10"}));
  EXPECT_FALSE(agent.call("search", R"({"query":"lazy"})").result.is_error);
  EXPECT_EQ(server.targets().size(), 1U);

  server.token_kind.clear();  // the server does not report it, but the token store knows it
  const auto kept = fresh(server.url(), std::make_shared<ChangingToken>(server.token, true));
  EXPECT_FALSE(ToolCaller(*kept).call("search", R"({"query":"lazy"})").result.is_error);
  EXPECT_EQ(server.targets().size(), 1U);
}

TEST_F(OtherServers, AReplacedTokenIsCheckedAgain) {
  add("n1", text_member("body", "the lazy dog"));
  const auto credentials = std::make_shared<ChangingToken>(server.token);
  const auto port = fresh(server.url(), credentials);
  ToolCaller agent(*port);
  EXPECT_FALSE(agent.call("search", R"({"query":"lazy"})").result.is_error);
  server.token = credentials->next = "an-owners-token";
  server.token_kind = "owner";
  EXPECT_EQ(agent.call("search", R"({"query":"lazy"})").code(), "permission_error");
  for (const auto& call : server.calls()) {
    if (call.authorization != "Bearer an-owners-token") continue;
    EXPECT_TRUE(call.target.starts_with("/v1/schema")) << call.target;
  }
}

class JsonFields : public OtherServers {
 protected:
  JsonFields() : port_(remote_port(server.url(), server.token)), agent(*port_) {
    blocks = R"([{"text":"first 😀"})";
    for (int i = 0; i < 400; ++i) blocks += format(R"(,{{"n":{},"text":"Block {} of the wombat"}})", i, i);
    blocks += "]";
    add("n1", text_member("body", "short") + R"(,"stars":5,"blocks":)" + blocks);
  }
  // Follows every printed continuation to the end.
  std::string read_all(Answer answer) {
    std::string text;
    for (int n = 0; n < 50; ++n) {
      EXPECT_FALSE(answer.result.is_error) << answer.text();
      if (answer.result.is_error) return text;
      text += answer.string_at("/window/text");
      if (answer.at("/window/next_cursor").is_null()) return text;
      const auto calls = answer.calls();
      const auto next =
          std::ranges::find_if(calls, [](const ToolCall& call) { return call.args.find("offset_chars") != call.args.npos; });
      EXPECT_NE(next, calls.end()) << answer.text();
      if (next == calls.end()) return text;
      answer = agent.call(*next);
    }
    ADD_FAILURE() << "no end";
    return text;
  }

  std::string blocks;
  std::unique_ptr<remote::RemotePort> port_;
  ToolCaller agent;
};

// The server refuses windows of anything but top-level strings; cut values can still be read to the end.
TEST_F(JsonFields, CutValuesCanBeReadToTheEnd) {
  for (const bool has_windows : {true, false}) {
    server.has_windows = has_windows;
    const Answer fetched = agent.call("fetch", R"({"id":"cin_a/notes:n1"})");
    ASSERT_FALSE(fetched.result.is_error) << fetched.text();
    const auto& go_on = fetched.at("/metadata/continue");
    const Answer window = agent.call(go_on.at("tool").as_string(), bj::serialize(go_on.at("args")));
    EXPECT_FALSE(window.result.is_error) << window.text();
    for (const auto& more : fetched.at("/metadata/fields_more").as_array()) {
      const Answer read = agent.call(more.at("read").at("tool").as_string(), bj::serialize(more.at("read").at("args")));
      EXPECT_FALSE(read.result.is_error) << read.text();
    }
    const std::string args = R"({"id":"cin_a/notes:n1","field_path":"blocks"})";
    EXPECT_EQ(read_all(agent.call("read_record_field", args)), blocks);
    EXPECT_EQ(agent.call("read_record_field", args).number_at("/field/size_chars"), utf8::count(blocks));
    const Answer nested = agent.call("read_record_field", R"({"id":"cin_a/notes:n1","field_path":"/blocks/7/text"})");
    EXPECT_EQ(nested.string_at("/window/text"), "Block 6 of the wombat");
    EXPECT_EQ(agent.call("read_record_field", R"({"id":"cin_a/notes:n1","field_path":"/blocks/9999"})").code(),
              "field_not_found");
  }
}

TEST_F(JsonFields, MatchesAndCursorsWorkAsForText) {
  const std::string args = R"({"id":"cin_a/notes:n1","field_path":"blocks","q":"WOMBAT","before_chars":10,"after_chars":0})";
  Answer answer = agent.call("read_record_field", args);
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  std::int64_t last = -1;
  static_cast<void>(server.calls());
  for (int n = 0; n < 3; ++n) {
    EXPECT_EQ(answer.string_at("/window/text"), format(" {} of the wombat", n));
    EXPECT_GT(answer.number_at("/window/match/start_chars"), last);
    last = answer.number_at("/window/match/start_chars");
    answer = agent.call("read_record_field", bj::serialize(answer.meta.at("dev.pdpp/match").at("read").at("args")));
    ASSERT_FALSE(answer.result.is_error) << answer.text();
  }
  EXPECT_LE(server.calls().size(), 6U) << "the record once a call, however many windows are looked at";
  EXPECT_EQ(agent.call("read_record_field", R"({"id":"cin_a/notes:n1","field_path":"blocks","q":"nowhere"})").code(),
            "query_not_found");

  const std::string cursor =
      agent.call("read_record_field", R"({"id":"cin_a/notes:n1","field_path":"blocks"})").string_at("/window/next_cursor");
  server.records[0].data = R"({"id":"n1","blocks":[)" + std::string(9'000, ' ') + "1]}";
  const Answer stale =
      agent.call("read_record_field", format(R"({{"id":"cin_a/notes:n1","field_path":"blocks","cursor":"{}"}})", cursor));
  EXPECT_EQ(stale.code(), "stale_cursor");
  EXPECT_FALSE(agent.call(stale.calls().front()).result.is_error) << "and the way on";
}

TEST_F(JsonFields, NonTextValuesNameAWorkingCall) {
  const Answer number = agent.call("read_record_field", R"({"id":"cin_a/notes:n1","field_path":"stars"})");
  EXPECT_EQ(number.code(), "field_not_text");
  const Answer retry_hint = agent.call(number.calls().front());
  EXPECT_FALSE(retry_hint.result.is_error);
  EXPECT_TRUE(retry_hint.has("stars")) << retry_hint.text();
}

class OtherFormats : public OtherServers {
 protected:
  OtherFormats() : port_(remote_port(server.url(), server.token)), agent(*port_) {
    add("n1", text_member("body", "the lazy dog"));
    static_cast<void>(server.calls());
  }
  std::unique_ptr<remote::RemotePort> port_;
  ToolCaller agent;
};

TEST_F(OtherFormats, SearchRecallIsPassedOnUnchanged) {
  const auto recall = [&](const char* told) {
    server.change_meta = [told](bj::object& meta) { meta["recall"] = bj::parse(told); };
    const Answer answer = agent.call("search", R"({"query":"lazy"})");
    EXPECT_FALSE(answer.result.is_error) << answer.text();
    return bj::serialize(answer.at("/data/meta/recall"));
  };
  EXPECT_EQ(recall(R"({"complete":true,"ranking_scope":"all_matches","truncated":false})"), R"({"complete":true})");
  EXPECT_EQ(recall(R"({"complete":false,"ranking_scope":"unknown","truncated":false})"),
            R"({"complete":false,"ranking_scope":"unknown","truncated":false})");
  EXPECT_EQ(recall(R"({"complete":false,"ranking_scope":"candidate_window","truncated":true,"candidate_window_limit":200,)"
                   R"("truncated_source_count":2})"),
            R"({"complete":false,"ranking_scope":"candidate_window","truncated":true,"candidate_window_limit":200,)"
            R"("truncated_source_count":2})");
  EXPECT_FALSE(agent.call("search", R"({"query":"lazy"})").has("0 candidates")) << "a number that the server did not send";
  server.change_meta = [](bj::object& meta) { meta.erase("recall"); };
  EXPECT_FALSE(agent.call("search", R"({"query":"lazy"})").at("/data/meta").as_object().contains("recall"));
}

TEST_F(OtherFormats, AcceptsRowsWithoutDataAndWithOtherKeys) {
  const std::string call = R"({"stream":"notes","connection_id":"cin_a"})";
  server.change_row = [](bj::object& row) { row.erase("data"); };
  const Answer bare = agent.call("query_records", call);
  ASSERT_FALSE(bare.result.is_error) << bare.text();
  EXPECT_TRUE(bare.has("id=cin_a/notes:n1")) << bare.text();
  server.change_row = [](bj::object& row) {
    row.erase("data");
    row["body"] = "the lazy dog";
  };
  EXPECT_EQ(agent.call("query_records", call).string_at("/data/data/0/data/body"), "the lazy dog");
  server.change_row = [](bj::object& row) {
    row["record_key"] = row["id"];
    row["id"] = "row-17";
  };
  const Answer keyed = agent.call("query_records", call);
  EXPECT_TRUE(keyed.has("id=cin_a/notes:n1")) << keyed.text();
  EXPECT_FALSE(agent.call("fetch", R"({"id":"cin_a/notes:n1"})").result.is_error);
}

TEST_F(OtherFormats, AStreamOfSeveralConnectionsIsAResource) {
  add("n1", text_member("body", "another"), "cin_b");
  const auto read = agent.read("pdpp://stream/notes");
  ASSERT_TRUE(std::holds_alternative<ResourceRead>(read)) << std::get<ResourceFailure>(read).message;
  const std::string& text = std::get<ResourceRead>(read).items.at(0).text;
  EXPECT_NE(text.find("cin_a"), std::string::npos) << text;
  EXPECT_NE(text.find("cin_b"), std::string::npos) << text;
}

TEST_F(OtherFormats, ItsRequestIdReachesResultsAndErrors) {
  for (const ToolCall& call : every_tool) {
    const Answer answer = agent.call(call);
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    if (call.tool == "fetch" || call.tool == "read_record_field") continue;  // other servers' results have no calls to these
    EXPECT_EQ(answer.string_at("/request_id"), "req_0123456789abcdef") << call.tool;
  }
  const Answer unknown = agent.call("fetch", R"({"id":"cin_a/notes:n9"})");
  EXPECT_EQ(unknown.code(), "not_found");
  EXPECT_EQ(unknown.error.at("request_id"), "req_0123456789abcdef");
  server.instead = [](const http::Request&) {
    http::Response response = http::Response::json(500, "{}");
    response.headers.set("X-Request-Id", "of-a-header");
    return response;
  };
  EXPECT_EQ(agent.call("fetch", R"({"id":"cin_a/notes:n1"})").error.at("request_id"), "of-a-header");
}

TEST_F(OtherFormats, TooManyRequestsIsPassedOn) {
  server.instead = [](const http::Request&) {
    http::Response response = http::Response::json(429, R"({"error":{"code":"slow_down","message":"Slow down"}})");
    response.headers.set("Retry-After", "17");
    return response;
  };
  for (const ToolCall& call : every_tool) {
    const Answer answer = agent.call(call);
    EXPECT_EQ(answer.code(), "rate_limit_exceeded") << answer.text();
    EXPECT_EQ(answer.error.at("http_status"), 429);
    EXPECT_EQ(answer.error.at("retry_after_seconds"), 17);
    EXPECT_TRUE(answer.has("try again after 17 second(s)")) << answer.text();
  }
}

TEST_F(OtherFormats, NulInAnIdIsRefusedLocally) {
  const std::string nul = "n1\\u0000x";
  for (const ToolCall& call : {ToolCall{"fetch", R"({"id":"cin_a/notes:)" + nul + R"("})"},
                               ToolCall{"read_record_field", R"({"connection_id":"cin_a","stream":"notes","record_id":")" + nul +
                                                                 R"(","field_path":"body"})"},
                               ToolCall{"query_records", R"({"stream":"notes","connection_id":"cin_a\u0000"})"}}) {
    const Answer answer = agent.call(call);
    EXPECT_EQ(answer.code(), "invalid_id") << answer.text();
  }
  EXPECT_TRUE(server.calls().empty());
}

}  // namespace
}  // namespace ladder::api_tests
