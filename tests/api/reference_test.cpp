// The adapter over a server with exactly the reference implementation's formats and faults: which requests it sends,
// and how it maps the responses.
#include "base/limits.h"
#include "base/text/base64.h"
#include "base/text/utf8.h"
#include "both_ports.h"
#include "mcp/testing/tool_caller.h"
#include "model/handle.h"
#include "support/reference_server.h"

namespace ladder::api_tests {
namespace {

using mcp::testing::Answer;
using mcp::testing::json_text;
using mcp::testing::ToolCaller;
using test_support::ReferenceServer;
using Targets = std::vector<std::string>;

std::string repeated(std::string_view piece, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += piece;
  return text;
}

class Reference : public ::testing::Test {
 protected:
  Reference() : port_(remote_port(server.url(), server.token)), agent(*port_, server.url()) { static_cast<void>(server.calls()); }

  void add(const std::string& key, const std::string& members, const std::string& connection = "cin_a") {
    std::string data = "{\"id\":" + json_text(key) + (members.empty() ? "" : ",") + members + "}";
    server.records.push_back({connection, "notes", key, std::move(data)});
  }
  static std::string rrf(std::string_view id, const std::string& more = "") {
    return format(R"({{"id":{},"field_path":"body"{}}})", json_text(id), more);
  }

  ReferenceServer server;
  std::unique_ptr<remote::RemotePort> port_;
  ToolCaller agent;
};

TEST_F(Reference, AReadIsOneAuthorizedCallAndNeverTheRecord) {
  add("n 1", text_member("body", repeated("word ", 2'000)));
  const Answer answer = agent.call("read_record_field", rrf("cin_a/notes:n 1"));
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  EXPECT_EQ(answer.number_at("/window/end_chars"), 4'096);
  const auto calls = server.calls();
  ASSERT_EQ(calls.size(), 1U);
  EXPECT_EQ(calls[0].method, "GET");
  EXPECT_EQ(calls[0].target,
            "/v1/streams/notes/records/n%201/field-window?connection_id=cin_a&field=body&offset_chars=0&limit_chars=4096");
  EXPECT_EQ(calls[0].authorization, "Bearer reference-token");
}

// A document also needs its stream's declaration (design D22), which is requested once a minute.
TEST_F(Reference, FetchIsOneCallPerRecord) {
  add("n1", text_member("body", "one"));
  add("n2", text_member("body", "two"));
  EXPECT_FALSE(agent.call("fetch", R"({"id":"cin_a/notes:n1"})").result.is_error);
  EXPECT_EQ(server.targets(), (Targets{"/v1/streams/notes/records/n1?connection_id=cin_a&max_field_chars=16384&max_bytes=98304",
                                       "/v1/schema?stream=notes&connection_id=cin_a"}));
  EXPECT_FALSE(agent.call("fetch", R"({"id":"cin_a/notes:n2"})").result.is_error);
  EXPECT_EQ(server.targets().size(), 1U);
}

TEST_F(Reference, TheAdapterSealsCursorsAndKeepsEmoji) {
  const std::string body = repeated("😀😀 abc ", 3'000);
  add("n1", text_member("body", body));
  Answer answer = agent.call("read_record_field", rrf("cin_a/notes:n1", R"(,"limit_chars":5000)"));
  std::string rebuilt;
  int reads = 0;
  for (;; ++reads) {
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    rebuilt += answer.string_at("/window/text");
    if (answer.at("/window/next_cursor").is_null()) break;
    const std::string cursor = answer.string_at("/window/next_cursor");
    EXPECT_TRUE(base64url::decode(cursor)) << "opaque and fit for a URL";
    EXPECT_FALSE(cursor.find_first_not_of("0123456789") == std::string::npos);
    answer = agent.call("read_record_field", rrf("cin_a/notes:n1", format(R"(,"cursor":"{}")", cursor)));
  }
  EXPECT_EQ(rebuilt, body);
  EXPECT_EQ(std::ssize(server.targets()), reads + 1) << "one call a window";
  std::string backwards = answer.string_at("/window/text");
  while (!answer.at("/window/previous_cursor").is_null()) {
    const std::string cursor = answer.string_at("/window/previous_cursor");
    answer = agent.call("read_record_field", rrf("cin_a/notes:n1", format(R"(,"cursor":"{}")", cursor)));
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    backwards = answer.string_at("/window/text") + backwards;
  }
  EXPECT_EQ(backwards, body);
}

TEST_F(Reference, ItsCursorsAreBound) {
  add("n1", text_member("body", repeated("word ", 2'000)) + "," + text_member("title", repeated("word ", 2'000)));
  add("n2", text_member("body", repeated("word ", 2'000)));
  const std::string cursor = agent.call("read_record_field", rrf("cin_a/notes:n1")).string_at("/window/next_cursor");
  const std::string with = format(R"(,"cursor":"{}")", cursor);
  static_cast<void>(server.calls());
  EXPECT_EQ(agent.call("read_record_field", rrf("cin_a/notes:n2", with)).code(), "cursor_mismatch");
  EXPECT_EQ(agent.call("read_record_field", format(R"({{"id":"cin_a/notes:n1","field_path":"title"{}}})", with)).code(),
            "cursor_mismatch");
  EXPECT_EQ(agent.call("read_record_field", rrf("cin_a/notes:n1", R"(,"cursor":"4096")")).code(), "invalid_cursor");
  EXPECT_TRUE(server.calls().empty()) << "that needs no request";
  const auto other = remote_port(server.url(), std::make_shared<remote::FixedToken>(server.token, "grt_other"));
  EXPECT_FALSE(ToolCaller(*other).call("read_record_field", rrf("cin_a/notes:n1", with)).code().empty());
  server.records[0].data = "{\"id\":\"n1\"," + text_member("body", repeated("more words ", 2'000)) + "}";
  const Answer stale = agent.call("read_record_field", rrf("cin_a/notes:n1", with));
  EXPECT_EQ(stale.code(), "stale_cursor");
  EXPECT_NE(stale.text().find("cin_a/notes:n1"), std::string::npos) << "names the record";
  EXPECT_FALSE(agent.call(stale.calls().front()).result.is_error) << "and the way on";
}

// A cursor that this port never issued is passed on; a server that ignores it is detected.
TEST_F(Reference, AForgedCursorIsRefusedInTheFirstCall) {
  add("n1", text_member("body", repeated("word ", 2'000)));
  const std::string foreign = base64url::encode(std::string(90, 'x'));
  EXPECT_EQ(agent.call("read_record_field", rrf("cin_a/notes:n1", format(R"(,"cursor":"{}")", foreign))).code(),
            "invalid_cursor");
  EXPECT_EQ(server.calls().size(), 1U);
}

TEST_F(Reference, TheContextOfAMatchIsExplicit) {
  add("n1", text_member("body", repeated("x ", 4'000) + "Wombat" + repeated(" y", 4'000)));
  const Answer answer = agent.call("read_record_field", rrf("cin_a/notes:n1", R"(,"q":"wombat")"));
  EXPECT_EQ(answer.number_at("/window/start_chars"), 8'000 - 2'048);
  EXPECT_EQ(answer.number_at("/window/end_chars"), 8'006 + 2'048);
  EXPECT_EQ(answer.number_at("/window/match/end_chars"), 8'006);
  EXPECT_EQ(server.targets(), (Targets{"/v1/streams/notes/records/n1/field-window?connection_id=cin_a&field=body&q=wombat&"
                                       "before_chars=2048&after_chars=2048"}));
  // The window would not contain the match, so the adapter requests less context before it.
  const Answer narrow = agent.call("read_record_field", rrf("cin_a/notes:n1", R"(,"q":"wombat","limit_chars":20)"));
  EXPECT_NE(narrow.string_at("/window/text").find("Wombat"), std::string::npos) << narrow.text();
  EXPECT_EQ(narrow.number_at("/window/limit_chars"), 20);
  EXPECT_EQ(server.targets().size(), 2U);
  EXPECT_EQ(agent.call("read_record_field", rrf("cin_a/notes:n1", R"(,"q":"nowhere")")).code(), "query_not_found");
}

// The server finds only the first match; the adapter searches for the others itself, also across its read windows.
TEST_F(Reference, EveryFurtherMatchIsReached) {
  const std::string gap = repeated("😀 filler ", 2'000);  // 18,000 chars: longer than a window
  std::string body;
  std::vector<std::int64_t> places;
  for (int i = 0; i < 4; ++i) {
    body += gap.substr(0, gap.size() - static_cast<std::size_t>(i));
    places.push_back(utf8::count(body));
    body += i % 2 ? "WOMBAT" : "wombat";
  }
  const std::int64_t straddling = places.back() + 6 + limits::kWindowMaxChars - 3;  // begins in one read and ends in the next
  body += std::string(limits::kWindowMaxChars - 3, '-') + "Wombat the last";
  places.push_back(straddling);
  add("n1", text_member("body", body));
  Answer answer = agent.call("read_record_field", rrf("cin_a/notes:n1", R"(,"q":"Wombat","before_chars":10,"after_chars":20)"));
  for (std::size_t i = 0; i < places.size(); ++i) {
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    EXPECT_EQ(answer.number_at("/window/match/start_chars"), places[i]);
    EXPECT_EQ(answer.number_at("/window/match/end_chars"), places[i] + 6);
    EXPECT_EQ(answer.string_at("/window/match/q"), "Wombat");
    EXPECT_EQ(answer.number_at("/window/start_chars"), places[i] - 10) << "the requested context";
    EXPECT_EQ(answer.string_at("/window/text"), std::string(utf8::slice(body, places[i] - 10, 36)));
    EXPECT_TRUE(answer.has("next match: read_record_field args=")) << answer.text();
    answer = agent.call("read_record_field", boost::json::serialize(answer.meta.at("dev.pdpp/match").at("read").at("args")));
  }
  EXPECT_EQ(answer.code(), "query_not_found") << answer.text();
  EXPECT_FALSE(agent.call(answer.calls().front()).result.is_error) << "and the way on";
  for (const auto& call : server.calls()) EXPECT_NE(call.target.find("/field-window?"), std::string::npos) << call.target;
}

TEST_F(Reference, ADistantMatchIsReachedInSteps) {
  const std::int64_t distance = 64 * limits::kWindowMaxChars;
  add("n1",
      // Begins in the first read.
      text_member("body", "wombat" + std::string(static_cast<std::size_t>(distance), '.') + "Wombat"));
  const auto next_match = [&](const Answer& answer) {
    return agent.call("read_record_field", boost::json::serialize(answer.meta.at("dev.pdpp/match").at("read").at("args")));
  };
  Answer answer = agent.call("read_record_field", rrf("cin_a/notes:n1", R"(,"q":"wombat","limit_chars":100)"));
  static_cast<void>(server.calls());
  answer = next_match(answer);
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  EXPECT_TRUE(answer.at("/window/match").is_null()) << "none yet, and it says so";
  EXPECT_EQ(answer.number_at("/window/end_chars"), 6 + distance) << "how far it looked";
  EXPECT_EQ(server.calls().size(), 65U) << "a bounded number of reads a call";
  answer = next_match(answer);
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  EXPECT_EQ(answer.number_at("/window/match/start_chars"), 6 + distance);

  const std::string cursor = answer.string_at("/window/previous_cursor");
  EXPECT_FALSE(agent.call("read_record_field", rrf("cin_a/notes:n1", format(R"(,"cursor":"{}")", cursor))).result.is_error);
  server.records[0].data = "{\"id\":\"n1\"," + text_member("body", "wombat and wombat") + "}";
  EXPECT_EQ(next_match(answer).code(), "stale_cursor");
}

TEST_F(Reference, RefusedBoundsAreRememberedAndTheAdapterCuts) {
  for (int i = 0; i < 30; ++i) add(format("n{:02}", i), text_member("body", repeated("long text ", 500)));
  const Answer page = agent.call("query_records", R"({"stream":"notes","connection_id":"cin_a"})");
  ASSERT_FALSE(page.result.is_error) << page.text();
  Targets asked = server.targets();
  ASSERT_GE(asked.size(), 2U);
  EXPECT_EQ(asked[0], "/v1/streams/notes/records?connection_id=cin_a&max_field_chars=400&max_bytes=12000");
  EXPECT_EQ(asked[1], "/v1/streams/notes/records?connection_id=cin_a&limit=10");
  EXPECT_EQ(page.at("/data/data/0/truncated_fields/0/size_chars"), 5'000);
  EXPECT_EQ(page.at("/data/data/0/truncated_fields/0/shown_chars"), 400);
  const Answer next = agent.call(page.calls().back());
  ASSERT_FALSE(next.result.is_error) << next.text();
  for (const std::string& target : server.targets()) EXPECT_EQ(target.find("max_"), std::string::npos) << target;
  // Paging through the whole stream loses nothing.
  std::set<std::string> seen;
  std::string args = R"({"stream":"notes","connection_id":"cin_a","limit":100})";
  for (int pages = 0; pages < 30; ++pages) {
    const Answer one = agent.call("query_records", args);
    for (const auto& record : one.at("/data/data").as_array()) seen.emplace(record.at("id").as_string());
    if (!one.at("/data/has_more").as_bool()) break;
    args = one.calls().back().args;
  }
  EXPECT_EQ(seen.size(), 30U);
}

TEST_F(Reference, IgnoredBoundsAreEnforcedByTheAdapter) {
  server.checks_parameters = false;
  add("n1", text_member("body", repeated("long text ", 5'000)) + R"(,"deep":{"a":[)" + repeated("1,", 9'000) + "1]}");
  const Answer page = agent.call("query_records", R"({"stream":"notes"})");
  EXPECT_EQ(server.targets().size(), 1U) << page.text();
  EXPECT_EQ(page.at("/data/data/0/truncated_fields").as_array().size(), 2U);
  const Answer document = agent.call("fetch", R"({"id":"cin_a/notes:n1"})");
  ASSERT_FALSE(document.result.is_error);
  EXPECT_LT(document.result.text.size(), 40'000U);
  EXPECT_FALSE(
      agent.call(document.calls().empty() ? mcp::ToolCall{"read_record_field", rrf("cin_a/notes:n1")} : document.calls().front())
          .result.is_error);
}

TEST_F(Reference, ItsExcerptsAreEvidence) {
  add("n1", text_member("body", repeated("filler ", 300) + "the Lazy dog sleeps" + repeated(" filler", 300)));
  add("n2", text_member("title", "a lazy title"));
  const Answer answer = agent.call("search", R"({"query":"lazy"})");
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  EXPECT_EQ(server.targets(), (Targets{"/v1/search?q=lazy&limit=10"}));
  EXPECT_EQ(answer.result.text.find("<mark>"), std::string::npos) << "the owner's text, no markup: " << answer.text();
  EXPECT_EQ(answer.string_at("/results/0/id"), "cin_a/notes:n1");
  EXPECT_EQ(answer.string_at("/results/0/evidence_excerpts/0/field_path"), "body");
  EXPECT_NE(answer.string_at("/results/0/evidence_excerpts/0/preview_text").find("the Lazy dog"), std::string::npos);
  const Answer window = agent.call(mcp::testing::calls_in(answer.lines().at(0)).front());
  EXPECT_NE(window.string_at("/window/text").find("the Lazy dog sleeps"), std::string::npos) << "the call reads the match";
  for (const std::string& target : server.targets()) EXPECT_NE(target.find("/field-window?"), std::string::npos) << target;
}

TEST_F(Reference, AHitWithoutProofSaysSo) {
  add("n1", text_member("body", "a lazy dog"));
  server.change_hit = [](boost::json::object& hit) { hit.erase("evidence_excerpts"); };
  const Answer answer = agent.call("search", R"({"query":"lazy"})");
  EXPECT_EQ(answer.string_at("/results/0/evidence"), "metadata-only");
  EXPECT_EQ(answer.text().find("field_path=body"), std::string::npos) << answer.text();
  EXPECT_EQ(answer.text().find("lazy dog"), std::string::npos) << "a snippet alone proves nothing: " << answer.text();
  server.change_hit = [](boost::json::object& hit) {
    hit["evidence_excerpts"].as_array()[0].as_object()["provenance"] = "semantic_neighbour";
  };
  EXPECT_EQ(agent.call("search", R"({"query":"lazy"})").string_at("/results/0/evidence"), "metadata-only");
}

// The server's access check answers 401 where no other token would help (PDPP "tokens").
TEST_F(Reference, ARefusalByItsGateDoesNotBlameTheToken) {
  const auto refused = [&](const std::string& code) {
    server.instead = [code](const http::Request&) {
      return http::Response::json(401, R"({"error":{"code":")" + code + R"(","message":"not in the grant"}})");
    };
    return agent.call("query_records", R"({"stream":"other"})");
  };
  const Answer stream = refused("context.stream_not_allowed");
  EXPECT_EQ(stream.code(), "grant_stream_not_allowed");
  EXPECT_EQ(stream.error.at("rule"), "context.stream_not_allowed");
  EXPECT_TRUE(stream.has("go on with schema args={}")) << stream.text();
  EXPECT_EQ(refused("context.instance_mismatch").code(), "connection_not_found");
  // An unknown code maps to the nearest known one of its status and keeps its name.
  EXPECT_EQ(refused("context.expired").code(), "authentication_error");
  EXPECT_EQ(refused("context.expired").error.at("rule"), "context.expired");
}

TEST_F(Reference, ARefusalsMessageIsBounded) {
  const std::string large = repeated("x", 100'000);
  std::string choices;
  for (int i = 0; i < 200; ++i) choices += format(R"({{"connection_id":"c{}","display_name":"{}"}},)", i, repeated("N", 900));
  server.instead = [&](const http::Request&) {
    return http::Response::json(409, R"({"error":{"code":"ambiguous_connection","message":"m","param":")" + large +
                                         R"(","rule":")" + large + R"(","available_connections":[)" + choices +
                                         R"({"connection_id":")" + large + R"("}]}})");
  };
  const Answer answer = agent.call("fetch", R"({"id":"notes:n1"})");  // which reads the blob
  EXPECT_EQ(answer.code(), "ambiguous_connection");
  EXPECT_GT(answer.error.at("available_connections").as_array().size(), 3U);
}

// The server returns a record of each connection even if fewer are requested, and no cursor.
TEST_F(Reference, APageOfManyConnectionsSaysHowToContinue) {
  for (int i = 0; i < 90; ++i) add("n1", text_member("body", repeated("word ", 78)), format("cin_{}", i));
  const Answer answer = agent.call("query_records", R"({"stream":"notes"})");
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  EXPECT_LE(server.calls().size(), 10U);
  EXPECT_GT(answer.at("/data/data").as_array().size(), 10U);
  EXPECT_TRUE(answer.at("/data/has_more").as_bool());
  EXPECT_TRUE(answer.lines().back().starts_with("more: ") && answer.has("name one connection_id (schema lists them)"))
      << answer.lines().back();
  const Answer one = agent.call("query_records", R"({"stream":"notes","connection_id":"cin_89"})");
  EXPECT_TRUE(one.has("1. id=cin_89/notes:n1 ")) << one.text();
}

TEST_F(Reference, ExtraGroupsAreCountedAsOthers) {
  std::string groups;
  for (int i = 0; i < 1'000; ++i) groups += format(R"({}{{"key":"{}","count":2}})", i == 0 ? "" : ",", repeated("k", 100));
  server.instead = [&](const http::Request&) {
    return http::Response::json(
        200, R"({"object":"aggregation","metric":"count","filtered_record_count":2000,"groups":[)" + groups + "]}");
  };
  const Answer answer = agent.call("aggregate", R"({"stream":"notes","metric":"count","group_by":"body","limit":7})");
  ASSERT_FALSE(answer.result.is_error) << answer.text();
  EXPECT_EQ(answer.at("/data/groups").as_array().size(), 7U);
  EXPECT_TRUE(answer.has("other_count=1986;")) << answer.text();
  EXPECT_FALSE(agent.call("aggregate", R"({"stream":"notes","metric":"count","group_by":"body"})").result.is_error);
}

TEST_F(Reference, AMissingCountIsNotCalledUnsearchable) {
  server.instead = [](const http::Request&) {
    return http::Response::json(
        200, R"({"object":"list","has_more":false,"data":[{"stream":"notes","record_key":7,"connection_id":"c"}]})");
  };
  const Answer answer = agent.call("search", R"({"query":"lazy"})");
  EXPECT_FALSE(answer.has("nothing within reach")) << answer.text();
  EXPECT_EQ(answer.string_at("/results/0/id"), "c/notes:7") << "a key that is printed as a number is a key";
}

TEST_F(Reference, ACursorThatWouldSkipHitsIsNotShown) {
  std::string hits;
  for (int i = 0; i < 9; ++i)
    hits += format(R"({}{{"stream":"notes","record_key":"n{}","connection_id":"c"}})", i == 0 ? "" : ",", i);
  server.instead = [&](const http::Request&) {
    return http::Response::json(200, R"({"object":"list","has_more":true,"next_cursor":"after-nine","data":[)" + hits + "]}");
  };
  const Answer some = agent.call("search", R"({"query":"lazy","limit":3})");
  EXPECT_EQ(some.at("/results").as_array().size(), 3U);
  EXPECT_FALSE(some.has("after-nine")) << "it continues after hits that were not shown";
  EXPECT_TRUE(some.has("more: ") && some.has("raise limit")) << some.text();
  EXPECT_TRUE(agent.call("search", R"({"query":"lazy","limit":9})").has("after-nine"));
}

// An excerpt gives the matching text without its position; the adapter searches for its first word if the query's words
// are not adjacent.
TEST_F(Reference, SeparateWordsAreReadWhereTheyMatch) {
  add("n1", text_member("body", repeated("filler ", 2'000) + "the lazy brown dog"));
  server.change_hit = [](boost::json::object& hit) {
    hit["evidence_excerpts"].as_array()[0].as_object()["preview_text"] = "the <mark>lazy</mark> brown <mark>dog</mark>";
  };
  const Answer answer = agent.call("search", R"({"query":"lazy dog"})");
  ASSERT_FALSE(answer.calls().empty()) << answer.text();
  const Answer window = agent.call(answer.calls()[0]);
  EXPECT_NE(window.string_at("/window/text").find("the lazy brown dog"), std::string::npos) << answer.calls()[0].args;
}

TEST_F(Reference, ServerIdsPassUnchanged) {
  add("n1", text_member("body", "a lazy dog"));
  const std::string encoded = model::encode_record_handle({"cin_a", "notes", "n1"});
  const std::vector<std::pair<std::string, std::string>> ways = {{"result_id", "cin_a/notes:n1"},
                                                                 {"record_uri", "pdpp://record/" + encoded},
                                                                 {"recordUri", "pdpp://record/cin_a%2Fnotes%3An1"},
                                                                 {"id", "pdpp://record/" + encoded},
                                                                 {"id", "cin_a/notes:n1"}};
  for (const auto& [name, value] : ways) {
    server.change_hit = [&](boost::json::object& hit) {
      for (const char* const gone : {"stream", "record_key", "connection_id", "connector_instance_id"}) hit.erase(gone);
      hit[name] = value;
    };
    const Answer answer = agent.call("search", R"({"query":"lazy"})");
    ASSERT_FALSE(answer.result.is_error) << answer.text();
    EXPECT_EQ(answer.string_at("/results/0/id"), "cin_a/notes:n1") << name;
    EXPECT_EQ(answer.result.structured.find("pdpp://record/"), std::string::npos) << name;
    EXPECT_EQ(answer.text().find("pdpp://record/"), std::string::npos) << name;
    EXPECT_EQ(answer.string_at("/content_ladder/records/0/id"), "cin_a/notes:n1") << name;
  }
  server.change_hit = [](boost::json::object& hit) { hit = {{"title", "nothing that names a record"}}; };
  const Answer nameless = agent.call("search", R"({"query":"lazy"})");
  EXPECT_EQ(nameless.string_at("/results/0/id"), "result:1");
  EXPECT_FALSE(nameless.has("first_fetch_id=") || nameless.has("open one with")) << "nothing that cannot be opened is offered";
}

TEST_F(Reference, ConnectionsAreForwardedAndNeverInvented) {
  add("n1", text_member("body", "one"), "cin_a");
  add("n1", text_member("body", "two"), "cin_b");
  const Answer ambiguous = agent.call("fetch", R"({"id":"notes:n1"})");
  EXPECT_EQ(ambiguous.code(), "ambiguous_connection");
  EXPECT_EQ(ambiguous.error.at("http_status"), 409);
  EXPECT_EQ(ambiguous.error.at("available_connections").as_array().size(), 2U);
  for (const std::string& target : server.targets()) EXPECT_EQ(target.find("connection_id"), std::string::npos) << target;
  EXPECT_FALSE(agent.call("fetch", R"({"id":"cin_b/notes:n1"})").result.is_error);
  for (const std::string& target : server.targets()) EXPECT_NE(target.find("connection_id=cin_b"), std::string::npos) << target;
  // A list over several connections has no cursor, and the response says what to do.
  for (int i = 0; i < 40; ++i) add(format("m{}", i), "", i % 2 ? "cin_a" : "cin_b");
  const Answer page = agent.call("query_records", R"({"stream":"notes","limit":5})");
  EXPECT_TRUE(page.has("partial_results")) << page.text();
}

TEST_F(Reference, RefusalsArePassedOnUnchanged) {
  add("n1", text_member("body", "text") + "," + text_member("secret", "HIDDEN") + R"(,"words":3)");
  server.hidden_fields = {"secret"};
  const auto read = [&](const std::string& field, const std::string& id = "cin_a/notes:n1") {
    return agent.call("read_record_field", format(R"({{"id":{},"field_path":{}}})", json_text(id), json_text(field)));
  };
  EXPECT_EQ(read("secret").code(), "field_not_granted");
  EXPECT_EQ(read("secret").error.at("http_status"), 403);
  EXPECT_EQ(read("secret").error.at("param"), "field_path") << "as the agent calls it";
  EXPECT_EQ(read("words").code(), "field_not_text");
  EXPECT_EQ(read("nothing").code(), "field_not_found");
  EXPECT_EQ(read("body", "cin_a/notes:n9").code(), "not_found");
  // The server's own error name for an ungranted stream is recognized and kept.
  api::RecordsRequest other;
  other.stream = "other";
  const auto refused = port_->records(other, {});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kStreamNotAllowed);
  EXPECT_EQ(refused.error().more->rule, "context.stream_not_allowed");
}

TEST_F(Reference, OnlyDocumentedReadsAreSent) {
  add("n1", text_member("body", "a lazy dog"));
  for (const auto& [tool, args] : std::vector<std::pair<std::string, std::string>>{
           {"schema", "{}"},
           {"schema", R"({"stream":"notes"})"},
           {"query_records", R"({"stream":"notes"})"},
           {"aggregate", R"({"stream":"notes","metric":"count"})"},
           {"search", R"({"query":"lazy"})"},
           {"fetch", R"({"id":"cin_a/notes:n1"})"},
           {"read_record_field", R"({"id":"cin_a/notes:n1","field_path":"body"})"}}) {
    const Answer answer = agent.call(tool, args);
    EXPECT_FALSE(answer.result.is_error) << tool << " " << answer.text();
  }
  for (const auto& call : server.calls()) {
    EXPECT_EQ(call.method, "GET");
    EXPECT_TRUE(call.target.starts_with("/v1/")) << call.target;
    EXPECT_EQ(call.authorization, "Bearer reference-token");
  }
  EXPECT_TRUE(agent.call("aggregate", R"({"stream":"notes","metric":"count"})").has("count(notes) = 1")) << "as it says";
}

TEST_F(Reference, ABlobWithoutRangesIsReadInParts) {
  std::string bytes = "%PDF";
  for (int i = 0; i < 60'000; ++i) bytes += static_cast<char>(i * 31 + i / 97);
  server.blobs["blob_1"] = bytes;
  add("n1", R"("blob_ref":{"blob_id":"blob_1","mime_type":"application/pdf"})");
  const Answer page = agent.call("query_records", R"({"stream":"notes"})");
  const auto& field = page.at("/content_ladder/records/0/binary_fields/0");
  EXPECT_EQ(agent.read_blob(std::string(field.at("resource").as_string())), bytes);
}

}  // namespace
}  // namespace ladder::api_tests
