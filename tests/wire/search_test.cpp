// GET /v1/search over HTTP: the envelope, the hits and their evidence, parameters and refusals (PDPP "search").
#include "api/preview.h"
#include "base/text/utf8.h"
#include "rest_fixture.h"
#include "support/mail_fixture.h"

#include <algorithm>
#include <set>

namespace ladder::wire {
namespace {

using Ids = std::vector<std::string>;
using test_support::Mail;

class Search : public Rest {
 protected:
  Search() {
    must(server().sources().add(owner(), test_support::mail_declaration(), "mail"));
    must(server().sources().add_connection(owner(), "mail", "At work", "inbox"));
    must(server().sources().add_connection(owner(), "mail", "", "archive"));
    must(server().sources().add(owner(), test_support::chat_declaration(), "chat"));
    must(server().sources().add_connection(owner(), "chat", "", "team"));
    put_mail("m1", {.subject = "Keys", .body = "The spare key hangs behind the third clock.", .hidden = "quince"});
    reader = token_for({"inbox", "messages", {"id", "subject", "body", "folder", "sent_at"}, {}, {}, {}});
  }
  void put_mail(std::string_view id, const Mail& mail, const std::string& connection = "inbox") {
    put_lines("messages", test_support::record_line(id, mail.members()), connection);
  }
  std::string reader;
};

TEST_P(Search, APageHasEveryMember) {
  const std::string target = "/v1/search?q=third+clock&limit=5";
  const Answer page = get(target, reader);
  EXPECT_EQ(page.status, 200) << page.text;
  EXPECT_EQ(page.header("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(page.string("/object"), "list");
  EXPECT_EQ(page.string("/url"), "/v1/search");
  EXPECT_FALSE(page.at("/has_more").as_bool());
  EXPECT_FALSE(page.has("/next_cursor"));
  EXPECT_EQ(page.string("/links/self"), target);
  EXPECT_TRUE(page.at("/links/next").is_null());
  EXPECT_EQ(page.number("/meta/count"), 1);
  EXPECT_EQ(page.string("/meta/count_accuracy"), "exact");
  EXPECT_EQ(boost::json::serialize(page.at("/meta/recall")),
            R"({"complete":true,"ranking_scope":"all_matches","truncated":false,"ranked_candidate_count":1,)"
            R"("sources_searched_count":1})");
  EXPECT_FALSE(page.has("/meta/index_maintenance"));
  EXPECT_TRUE(page.at("/meta/warnings").as_array().empty());

  ASSERT_EQ(page.ids(), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(page.string("/data/0/object"), "search_result");
  EXPECT_EQ(page.string("/data/0/stream"), "messages");
  EXPECT_EQ(page.string("/data/0/record_key"), "m1");
  EXPECT_EQ(page.string("/data/0/connector_id"), "mail");
  EXPECT_EQ(page.string("/data/0/connection_id"), "inbox");
  EXPECT_EQ(page.string("/data/0/connector_instance_id"), "inbox");
  EXPECT_EQ(page.string("/data/0/display_name"), "At work");
  EXPECT_EQ(page.string("/data/0/authored_at"), "2026-01-01T00:00:00Z");
  EXPECT_FALSE(page.string("/data/0/emitted_at").empty());
  EXPECT_EQ(boost::json::serialize(page.at("/data/0/matched_fields")), R"(["body"])");
  EXPECT_EQ(page.string("/data/0/record_url"), "/v1/streams/messages/records/m1?connection_id=inbox");
  EXPECT_EQ(page.string("/data/0/score/kind"), "bm25");
  EXPECT_EQ(page.string("/data/0/score/order"), "higher_is_better");
  EXPECT_GT(page.number("/data/0/score/value"), 0);
  EXPECT_EQ(page.string("/data/0/evidence"), "match_windows");

  const std::string text = "The spare key hangs behind the third clock.";
  EXPECT_EQ(boost::json::serialize(page.at("/data/0/snippet")), R"({"field":"body","text":")" + text + "\"}")
      << "no marks inside the owner's text, and no more than PDPP's closed schema has";
  EXPECT_EQ(page.string("/data/0/evidence_excerpts/0/object"), "evidence_excerpt");
  EXPECT_EQ(page.string("/data/0/evidence_excerpts/0/preview_text"), text);
  EXPECT_EQ(page.string("/data/0/evidence_excerpts/0/provenance"), "lexical_match");
  EXPECT_FALSE(page.at("/data/0/evidence_excerpts/0/truncated").as_bool());
  EXPECT_EQ(page.string("/data/0/evidence_excerpts/0/read/object"), "field_window_read");
  EXPECT_EQ(page.string("/data/0/evidence_excerpts/0/read/route"), "/v1/streams/messages/records/m1/field-window");
  EXPECT_EQ(page.string("/data/0/match_windows/0/field_path"), "body");
  EXPECT_EQ(page.number("/data/0/match_windows/0/start_chars"), 0);
  EXPECT_EQ(page.number("/data/0/match_windows/0/end_chars"), 43);
  EXPECT_EQ(page.number("/data/0/match_windows/0/size_chars"), 43);
  EXPECT_TRUE(page.at("/data/0/match_windows/0/complete").as_bool());
  EXPECT_EQ(boost::json::serialize(page.at("/data/0/match_windows/0/matches")),
            R"([{"start_chars":31,"end_chars":36},{"start_chars":37,"end_chars":42}])");
  EXPECT_EQ(get("/v1/search?q=third", owner_token()).string("/data/0/record_url"),
            "/v1/streams/messages/records/m1?connection_id=inbox&connector_id=mail");
  EXPECT_EQ(get(page.string("/data/0/record_url"), reader).status, 200);
}

TEST_P(Search, TheOnlyModeMayBeNamed) {
  EXPECT_EQ(get("/v1/search?q=third&mode=lexical", reader).number("/meta/count"), 1);
  expect_error(get("/v1/search?q=third&mode=semantic", reader), 400, "invalid_request", "mode");
}

TEST_P(Search, EveryWindowCanBeReadAgain) {
  std::string text;
  for (int i = 0; i < 9'000; ++i) {
    text += format("word{} ", i);
    if (i == 4'000 || i == 8'000) text += format("Nähe{} 東京の夜 ", i);
  }
  put_mail("long/key 1", {.subject = "Über die Nähe8000", .body = text});
  const Answer page = get("/v1/search?q=n%C3%A4he4000+N%C3%84HE8000+%E6%9D%B1%E4%BA%AC", reader);
  ASSERT_EQ(page.status, 200) << page.text;
  ASSERT_EQ(page.at("/data").as_array().size(), 1U) << page.text;
  const auto& hit = page.at("/data/0");
  EXPECT_EQ(page.string("/data/0/record_url"), "/v1/streams/messages/records/long%2Fkey%201?connection_id=inbox");
  const auto& windows = hit.at("match_windows").as_array();
  ASSERT_GE(windows.size(), 2U);
  std::set<std::string> words;
  for (const auto& window : windows) {
    const Answer read = get(std::string(window.at("read").at("url").as_string()), reader);
    ASSERT_EQ(read.status, 200) << read.text;
    if (window.at("field_path") == "subject") {
      EXPECT_EQ(window.at("read").at("object"), "record_read") << "a title leads to its record";
      EXPECT_EQ(window.at("read").at("tool"), "fetch");
      EXPECT_EQ(read.string("/id"), "long/key 1");
      for (const auto& match : window.at("matches").as_array()) {
        const std::int64_t start = match.at("start_chars").as_int64(), end = match.at("end_chars").as_int64();
        words.emplace(utf8::slice(std::string_view(window.at("text").as_string()), start, end - start));
      }
      continue;
    }
    EXPECT_NE(read.string("/window/text").find(std::string_view(window.at("text").as_string())), std::string::npos);
    const std::int64_t from = read.number("/window/start_chars");
    EXPECT_LE(from, window.at("start_chars").as_int64()) << "the lines before the match are read too";
    EXPECT_GE(from, window.at("start_chars").as_int64() - api::kReadLeadChars);
    EXPECT_GE(read.number("/window/end_chars"), window.at("end_chars").as_int64());
    EXPECT_EQ(read.number("/window/total_chars"), window.at("size_chars").as_int64());
    EXPECT_EQ(window.at("read").at("tool"), "read_record_field");
    const boost::json::object expected = {{"connection_id", "inbox"},
                                          {"stream", "messages"},
                                          {"record_id", "long/key 1"},
                                          {"field_path", window.at("field_path")},
                                          {"offset_chars", from}};
    EXPECT_EQ(window.at("read").at("args"), boost::json::value(expected)) << "the same read for adapters that call tools";
    const std::string shown = read.string("/window/text");
    EXPECT_FALSE(window.at("matches").as_array().empty());
    for (const auto& match : window.at("matches").as_array()) {
      const std::int64_t start = match.at("start_chars").as_int64(), end = match.at("end_chars").as_int64();
      words.emplace(utf8::slice(shown, start - from, end - start));
    }
  }
  EXPECT_EQ(words, (std::set<std::string>{"Nähe4000", "Nähe8000", "東京"})) << "together they show every word";
}

TEST_P(Search, PagesAreFollowedToTheEnd) {
  for (int i = 0; i < 12; ++i) put_mail(format("p{:02}", i), {.body = "papaya"}, i % 2 ? "inbox" : "archive");
  const Ids all = walk("/v1/search?q=papaya&limit=5", owner_token());
  EXPECT_EQ(all.size(), 12U);
  EXPECT_EQ((std::set<std::string>(all.begin(), all.end()).size()), 12U);
  EXPECT_EQ(walk("/v1/search?q=papaya&limit=1", owner_token()), all);
  const Answer first = get("/v1/search?q=papaya&limit=5", owner_token());
  EXPECT_EQ(first.number("/meta/count"), 12);
  const std::string cursor = first.string("/next_cursor");
  EXPECT_EQ(get("/v1/search?q=%20papaya&limit=9&cursor=" + cursor, owner_token()).ids().size(), 7U);
  expect_error(get("/v1/search?q=mango&cursor=" + cursor, owner_token()), 400, "cursor_mismatch", "cursor");
  expect_error(get("/v1/search?q=papaya&cursor=" + cursor, reader), 400, "cursor_mismatch", "cursor");
  expect_error(get("/v1/search?q=papaya&cursor=nonsense", owner_token()), 400, "invalid_cursor", "cursor");
}

TEST_P(Search, ParametersNarrowIt) {
  put_mail("m2", {.body = "third wheel", .folder = "b"}, "archive");
  put_lines("messages", test_support::record_line("c1", text_member("text", "third")), "team");
  const auto ids = [&](const std::string& more) {
    const Answer page = get("/v1/search?q=third" + more, owner_token());
    EXPECT_EQ(page.status, 200) << page.text;
    Ids found = page.ids();
    std::ranges::sort(found);
    return found;
  };
  EXPECT_EQ(ids(""), (Ids{"archive/messages:m2", "inbox/messages:m1", "team/messages:c1"}));
  EXPECT_EQ(ids("&streams=messages&streams=files"), ids(""));
  EXPECT_EQ(ids("&streams[]=%20messages%20&streams[]="), ids("")) << "trimmed, and empty ones dropped";
  EXPECT_EQ(ids("&streams=files"), Ids());
  EXPECT_EQ(ids("&streams=nosuch"), Ids());
  EXPECT_EQ(ids("&connection_id=archive"), (Ids{"archive/messages:m2"}));
  const Answer alias = get("/v1/search?q=third&connector_instance_id=archive", owner_token());
  EXPECT_EQ(alias.ids(), (Ids{"archive/messages:m2"}));
  EXPECT_EQ(alias.warnings().front(), "deprecated_alias_used");
  EXPECT_EQ(ids("&streams=messages&filter[folder]=b"), (Ids{"archive/messages:m2"}));
  EXPECT_EQ(ids("&streams=messages&filter[size][gte]=1"), (Ids{"archive/messages:m2", "inbox/messages:m1"}));
  EXPECT_EQ(get("/v1/search?q=third&streams=messages&filter[folder]=all", reader).ids(), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(ids("&limit=nonsense"), ids(""));
  EXPECT_EQ(get("/v1/search?q=third&streams=messages&limit=1000", owner_token()).warnings(), (Ids{"limit_clamped"}));
  EXPECT_EQ(ids("+%22the+third+clock%22"), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(ids("+-wheel+-spare"), (Ids{"team/messages:c1"}));
}

TEST_P(Search, RefusalsNameTheParameter) {
  for (const char* query : {"", "?q=", "?q=%20", "?q=-third", "?q=..."}) {
    expect_error(get(std::string("/v1/search") + query, reader), 400, "invalid_request", "q");
  }
  expect_error(get("/v1/search?q=a&q=b", reader), 400, "invalid_request", "q");
  for (const char* name : {"connector_id", "subject_id", "fields", "order", "sort", "mode", "rank", "view", "expand"}) {
    expect_error(get(format("/v1/search?q=third&{}=x", name), reader), 400, "invalid_request", name);
  }
  expect_error(get("/v1/search?q=third&filter[folder]=b", owner_token()), 400, "invalid_request", "streams");
  expect_error(get("/v1/search?q=third&streams=messages&streams=files&filter[folder]=b", owner_token()), 400, "invalid_request",
               "streams");
  expect_error(get("/v1/search?q=third&streams=messages&filter[nosuch]=b", reader), 400, "unknown_field");
  expect_error(get("/v1/search?q=third&streams=messages&filter[size]=1", reader), 403, "field_not_granted");
  expect_error(get("/v1/search?q=third&streams=files", reader), 403, "grant_stream_not_allowed", "streams");
  expect_error(get("/v1/search?q=third&streams=nosuch", reader), 403, "grant_stream_not_allowed", "streams");
  expect_error(get("/v1/search?q=third&connection_id=archive", reader), 404, "connection_not_found", "connection_id");
  expect_error(get("/v1/search?q=third&connection_id=nosuch", owner_token()), 404, "connection_not_found", "connection_id");
  expect_error(get("/v1/search?q=third&connection_id=inbox&connector_instance_id=archive", reader), 400, "invalid_argument",
               "connector_instance_id");
  expect_error(get("/v1/search?q=third", ""), 401, "authentication_error");
  expect_error(send("POST", "/v1/search?q=third", reader), 405, "invalid_request");
}

TEST_P(Search, UngrantedDataIsNeitherFoundNorCounted) {
  const Answer page = get("/v1/search?q=quince", reader);
  EXPECT_TRUE(page.at("/data").as_array().empty());
  EXPECT_EQ(page.number("/meta/count"), 0);
  EXPECT_EQ(page.number("/meta/recall/ranked_candidate_count"), 0);
  EXPECT_EQ(get("/v1/search?q=third+-quince", reader).number("/meta/count"), 1);
  EXPECT_EQ(get("/v1/search?q=quince", owner_token()).number("/meta/count"), 1);
}

TEST_P(Search, UnsearchableDataIsNotCounted) {
  const Answer page = get("/v1/search?q=third", token_for({"inbox", "files", {}, {}, {}, {}}));
  EXPECT_EQ(page.status, 200);
  EXPECT_TRUE(page.at("/data").as_array().empty());
  EXPECT_TRUE(page.at("/meta/count").is_null());
  EXPECT_EQ(page.string("/meta/count_accuracy"), "not_counted");
  EXPECT_EQ(boost::json::serialize(page.at("/meta/recall")), R"({"complete":false,"ranking_scope":"unknown","truncated":false})");
  EXPECT_EQ(page.warnings(), (Ids{"source_skipped_not_applicable"}));
  EXPECT_EQ(page.string("/meta/warnings/0/detail/connection_id"), "inbox");
  EXPECT_EQ(page.string("/meta/warnings/0/detail/source"), "https://sources.example/mail");
}

TEST_P(Search, DiscoveryNamesIt) {
  EXPECT_EQ(get("/", "").string("/links/search"), "/v1/search");
  const Answer metadata = get("/.well-known/oauth-protected-resource", "");
  EXPECT_EQ(metadata.string("/pdpp_discovery_hints/search/endpoint"), "/v1/search");
  EXPECT_TRUE(metadata.at("/capabilities/lexical_retrieval/supported").as_bool());
  EXPECT_EQ(metadata.number("/capabilities/lexical_retrieval/max_limit"), 100);
}

LADDER_FOR_EVERY_ENGINE(Search);

}  // namespace
}  // namespace ladder::wire
