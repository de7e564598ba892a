// Search under a grant: hits, evidence and refusals.
#include "base/text/utf8.h"
#include "search_suite.h"

#include <algorithm>
#include <map>
#include <set>

namespace ladder {
namespace {

using test_support::must;
using test_support::text_member;

class Search : public SearchSuite {};

TEST_P(Search, AHitShowsRecordFieldRangeAndText) {
  put_mail("m1",
           {.subject = "Keys", .body = "The spare key hangs behind the third clock.", .sent_at = "2026-03-01T09:00:00+01:00"});
  put_mail("m2", {.subject = "Lunch", .body = "Nothing of the kind."});
  const api::SearchPage page = must(server().search().find(owner(), words("third CLOCK")));
  ASSERT_EQ(names(page), (Ids{"inbox/messages:m1"}));
  const api::SearchHit& hit = page.hits[0];
  EXPECT_EQ(hit.connector_key, "mail");
  EXPECT_EQ(hit.display_name, "At work");
  EXPECT_EQ(hit.authored_at, "2026-03-01T09:00:00+01:00");
  EXPECT_FALSE(hit.emitted_at.empty());
  EXPECT_GT(hit.score, 0);
  EXPECT_EQ(hit.matched_fields, (Ids{"body"}));
  ASSERT_EQ(hit.windows.size(), 1U);
  EXPECT_EQ(hit.windows[0].field_path, "body");
  EXPECT_EQ(hit.windows[0].text, "The spare key hangs behind the third clock.");
  EXPECT_TRUE(hit.windows[0].complete);
  expect_exact(owner(), hit);
  EXPECT_EQ(match_text(owner(), hit, 0, 0), "third");
  EXPECT_EQ(match_text(owner(), hit, 0, 1), "clock");
  EXPECT_EQ(page.count, 1);
  EXPECT_TRUE(page.count_exact);
  EXPECT_TRUE(page.recall.complete);
  EXPECT_FALSE(page.recall.truncated);
  EXPECT_EQ(page.recall.ranked_candidates, 1);
  EXPECT_FALSE(page.has_more);
}

TEST_P(Search, AnyWordMatchesAndAllWordsRankFirst) {
  put_mail("m1", {.subject = "Zürich trip", .body = "We take the early train."});
  put_mail("m2", {.subject = "Train", .body = "The late one."});
  EXPECT_EQ(find(owner(), "zurich train"), (Ids{"inbox/messages:m1", "inbox/messages:m2"})) << "one word in each field";
  const api::SearchPage page = must(server().search().find(owner(), words("zurich train")));
  EXPECT_EQ(page.count, 2);
  EXPECT_EQ(page.count_all_words, 1);
  EXPECT_EQ(page.hits[0].words, (Ids{"zurich", "train"}));
  EXPECT_EQ(page.hits[1].words, (Ids{"train"}));
  EXPECT_EQ(page.hits[1].missing, (Ids{"zurich"}));
  EXPECT_EQ(page.hits[0].title, "Zürich trip");
  EXPECT_EQ(find(owner(), "+zurich train"), (Ids{"inbox/messages:m1"}));
  api::SearchRequest all = words("zurich train");
  all.match_all = true;
  EXPECT_EQ(find(owner(), all), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(find(owner(), "subject:train zeppelin"), (Ids{"inbox/messages:m2"}));
  EXPECT_EQ(find(owner(), "Which trains are late?"), (Ids{"inbox/messages:m2", "inbox/messages:m1"}))
      << "another form of the word";
  EXPECT_EQ(page.hits[0].matched_fields, (Ids{"subject", "body"}));
  ASSERT_EQ(page.hits[0].windows.size(), 2U);
  expect_exact(owner(), page.hits[0]);
  EXPECT_EQ(find(owner(), "\"early train\""), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(find(owner(), "\"train early\""), Ids());
  EXPECT_EQ(sorted(find(owner(), "trai*")), (Ids{"inbox/messages:m1", "inbox/messages:m2"}));
  EXPECT_EQ(find(owner(), "train -early"), (Ids{"inbox/messages:m2"}));
  EXPECT_EQ(find(owner(), "train -\"early train\" -late"), Ids());
  EXPECT_EQ(find(owner(), "tra"), Ids());
}

TEST_P(Search, TimesAndOrderApplyToAllStreams) {
  put_mail("old", {.body = "harbour", .sent_at = "2026-01-01T00:00:00Z"}, "inbox");
  put_mail("mid", {.body = "harbour harbour", .sent_at = "2026-03-01T00:00:00Z"}, "archive");
  put_mail("new", {.body = "harbour", .sent_at = "2026-06-01T00:00:00Z"}, "inbox");
  api::SearchRequest request = words("harbour");
  request.streams = {"messages"};
  request.limit = 1;
  request.order = api::SearchOrder::kNewest;
  EXPECT_EQ(walk(owner(), request), (Ids{"inbox/messages:new", "archive/messages:mid", "inbox/messages:old"}));
  request.order = api::SearchOrder::kOldest;
  EXPECT_EQ(walk(owner(), request), (Ids{"inbox/messages:old", "archive/messages:mid", "inbox/messages:new"}));
  request.since = parse_time("2026-02-01");
  EXPECT_EQ(walk(owner(), request), (Ids{"archive/messages:mid", "inbox/messages:new"}));
  request.until = parse_time("2026-06-01");
  EXPECT_EQ(walk(owner(), request), (Ids{"archive/messages:mid"}));
  const server::Access timeless = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  const api::SearchPage page = must(server().search().find(timeless, request));
  EXPECT_TRUE(page.hits.empty()) << "a client without the times cannot search by them";
  ASSERT_FALSE(page.warnings.empty());
  EXPECT_EQ(page.warnings[0].code, "streams_without_time");
  EXPECT_NE(page.warnings[0].message.find("inbox/messages"), std::string::npos) << page.warnings[0].message;
}

TEST_P(Search, ATypingErrorIsCorrectedAndReported) {
  put_mail("m1", {.body = "The reservation of the hotel", .hidden = "resevations"});
  const server::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  const api::SearchPage page = must(server().search().find(agent, words("resevation")));
  EXPECT_EQ(names(page), (Ids{"inbox/messages:m1"}));
  ASSERT_EQ(page.warnings.size(), 1U);
  EXPECT_EQ(page.warnings[0].code, "words_corrected");
  EXPECT_EQ(page.warnings[0].message, "corrected: resevation → reservation");
  ASSERT_EQ(page.searched_words.size(), 1U);
  EXPECT_TRUE(page.searched_words[0].corrected);
  EXPECT_TRUE(must(server().search().find(agent, words("+resevation"))).hits.empty()) << "required words are never replaced";
  EXPECT_EQ(page.searched_words[0].word, "resevation");
  EXPECT_EQ(page.searched_words[0].records, 0);
  EXPECT_EQ(page.searched_words[0].near, (Ids{"reservation"})) << "nothing hidden";
  const api::SearchPage found = must(server().search().find(agent, words("hotel resevation")));
  EXPECT_EQ(found.hits.size(), 1U);
  ASSERT_EQ(found.searched_words.size(), 2U);
  EXPECT_EQ(found.searched_words[0].records, 1);
}

TEST_P(Search, ATypingErrorIsCorrectedFromTheMiddleOfALongText) {
  std::string text;
  for (int i = 0; i < 4000; ++i) text += "filler" + std::to_string(i % 97) + ' ';
  put_mail("m1", {.body = text + "the cancelled reservation " + text, .hidden = "resevations"});
  const server::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  const api::SearchPage page = must(server().search().find(agent, words("resevation")));
  EXPECT_EQ(names(page), (Ids{"inbox/messages:m1"}));
  ASSERT_EQ(page.warnings.size(), 1U);
  EXPECT_EQ(page.warnings[0].message, "corrected: resevation → reservation");
  ASSERT_EQ(page.searched_words.size(), 1U);
  ASSERT_EQ(page.searched_words[0].near_occurrences.size(), 1U);
  const auto& occurrence = page.searched_words[0].near_occurrences[0];
  EXPECT_EQ(text.size() + std::string_view("the cancelled ").size(), static_cast<std::size_t>(occurrence.part.start_chars));
}

TEST_P(Search, ATitleWeighsMoreAndTiesAreNewestFirst) {
  put_mail("body", {.subject = "Nothing", .body = "apricot", .sent_at = "2026-05-01T00:00:00Z"});
  put_mail("title", {.subject = "apricot", .body = "Nothing", .sent_at = "2026-01-01T00:00:00Z"});
  put_mail("newer", {.subject = "Nothing", .body = "apricot", .sent_at = "2026-06-01T00:00:00Z"});
  EXPECT_EQ(find(owner(), "apricot"), (Ids{"inbox/messages:title", "inbox/messages:newer", "inbox/messages:body"}));
  // A client without access to times gets equal scores ordered by key.
  EXPECT_EQ(find(client({"inbox", "messages", {"id", "body"}, {}, {}, {}}), "apricot"),
            (Ids{"inbox/messages:body", "inbox/messages:newer"}));
}

TEST_P(Search, SpansConnectionsAndSourcesAndNarrows) {
  put_mail("m1", {.body = "harbour lights"}, "inbox");
  put_mail("m2", {.body = "harbour walls"}, "archive");
  put_chat("c1", "harbour cats");
  const Ids all = {"archive/messages:m2", "inbox/messages:m1", "team/messages:c1"};
  const api::SearchPage page = must(server().search().find(owner(), words("harbour")));
  EXPECT_EQ(sorted(names(page)), all) << "a name that two sources share is no conflict";
  EXPECT_EQ(page.recall.sources_searched, 3);
  api::SearchRequest request = words("harbour");
  request.streams = {"messages"};
  EXPECT_EQ(sorted(find(owner(), request)), all);
  request.scope.connection_id = "archive";
  EXPECT_EQ(find(owner(), request), (Ids{"archive/messages:m2"}));
  request.streams = {"nosuch"};
  EXPECT_EQ(find(owner(), request), Ids()) << "an owner's unknown stream has no hits";
  request.streams = {"files", "messages"};
  EXPECT_EQ(find(owner(), request), (Ids{"archive/messages:m2"}));

  const server::Access agent = must(server().accesses().authenticate(
      issue({{"inbox", "messages", {}, {}, {}, {}}, {"team", "messages", {}, {}, {}, {}}}).token));
  EXPECT_EQ(sorted(find(agent, "harbour")), (Ids{"inbox/messages:m1", "team/messages:c1"}));
  request = words("harbour");
  request.scope.connection_id = "team";
  EXPECT_EQ(find(agent, request), (Ids{"team/messages:c1"}));
}

TEST_P(Search, OnlyGrantedFieldsAreSearchedAndShown) {
  put_mail("m1", {.subject = "lemon", .body = "pear", .hidden = "quince", .sent_at = "2026-01-01T00:00:00Z"});
  put_mail("m2", {.subject = "lemon", .body = "quince", .hidden = "pear", .sent_at = "2026-01-02T00:00:00Z"});
  const server::Access agent = client({"inbox", "messages", {"id", "subject", "body"}, {}, {}, {}});
  EXPECT_EQ(find(agent, "quince"), (Ids{"inbox/messages:m2"}));
  EXPECT_EQ(find(agent, "pear"), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(find(agent, "+pear +quince"), Ids()) << "a word in a hidden field is not there";
  EXPECT_EQ(find(agent, "lemon -quince"), (Ids{"inbox/messages:m1"})) << "nor does it exclude";
  const api::SearchPage page = must(server().search().find(agent, words("quince")));
  EXPECT_EQ(page.count, 1);
  EXPECT_EQ(page.recall.ranked_candidates, 1);
  EXPECT_EQ(page.hits[0].matched_fields, (Ids{"body"}));
  EXPECT_EQ(page.hits[0].authored_at, "") << "the time is not granted";
  EXPECT_EQ(must(server().search().find(owner(), words("pear quince"))).count, 2);
}

TEST_P(Search, HiddenTextChangesNeitherScoreNorOrder) {
  put_mail("m1", {.body = "walnut", .hidden = "nothing"});
  const server::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  const std::int64_t before = must(server().search().find(agent, words("walnut"))).hits.at(0).score;
  put_mail("m1", {.body = "walnut", .hidden = "walnut walnut walnut walnut"});
  put_mail("m2", {.subject = "walnut", .hidden = "walnut"});
  const api::SearchPage after = must(server().search().find(agent, words("walnut")));
  ASSERT_EQ(names(after), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(after.hits[0].score, before);
  EXPECT_EQ(after.count, 1);
}

TEST_P(Search, TimeAndRecordConstraintsHoldInsideTheSearch) {
  for (int day = 1; day <= 9; ++day)
    put_mail(format("m{}", day), {.body = "cherry", .sent_at = format("2026-02-0{}T00:00:00Z", day)});
  put_mail("undated", {.body = "cherry", .sent_at = ""});
  const Instant since = *parse_time("2026-02-03T00:00:00Z"), until = *parse_time("2026-02-06T00:00:00Z");
  const server::Access timed = client({"inbox", "messages", {"id", "body"}, since, until, {}});
  const Ids in_time = {"inbox/messages:m3", "inbox/messages:m4", "inbox/messages:m5"};
  EXPECT_EQ(find(timed, "cherry"), in_time) << "enforced although the time is not granted, and by key since it is not";
  EXPECT_EQ(must(server().search().find(timed, words("cherry"))).count, 3);
  const server::Access named = client({"inbox", "messages", {}, {}, {}, {"m2", "m7", "gone"}});
  EXPECT_EQ(find(named, "cherry"), (Ids{"inbox/messages:m7", "inbox/messages:m2"}));
  EXPECT_EQ(must(server().search().find(named, words("cherry"))).count, 2);
  const server::Access both = client({"inbox", "messages", {}, since, until, {"m2", "m4"}});
  EXPECT_EQ(find(both, "cherry"), (Ids{"inbox/messages:m4"}));
  EXPECT_EQ(must(server().search().find(owner(), words("cherry"))).count, 10);
  EXPECT_EQ(find(owner(), "cherry").back(), "inbox/messages:undated") << "records without a time come last";
}

TEST_P(Search, FiltersApplyToOneStreamAndWorkForClients) {
  put_mail("m1", {.body = "plum", .folder = "a", .size = 10});
  put_mail("m2", {.body = "plum", .folder = "b", .size = 20});
  put_mail("m3", {.body = "plum", .folder = "b", .size = 30});
  put_chat("c1", "plum");
  api::SearchRequest request = words("plum");
  request.streams = {"messages"};
  request.scope.connection_id = "inbox";
  request.filters = {{"folder", "", "b"}};
  EXPECT_EQ(sorted(find(owner(), request)), (Ids{"inbox/messages:m2", "inbox/messages:m3"}));
  EXPECT_EQ(must(server().search().find(owner(), request)).count, 2);
  request.filters.push_back({"size", "gte", "25"});
  const server::Access agent = client({"inbox", "messages", {"id", "body", "folder", "size"}, {}, {}, {}});
  EXPECT_EQ(find(agent, request), (Ids{"inbox/messages:m3"}));
  const server::Access narrow = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  EXPECT_EQ(refusal(narrow, request), "field_not_granted field");
  request.filters = {{"nosuch", "", "b"}};
  EXPECT_EQ(refusal(owner(), request), "unknown_field filter[nosuch]");
  request.filters = {{"size", "gte", "much"}};
  EXPECT_EQ(refusal(owner(), request), "invalid_request filter[size]");

  // A source whose stream of that name lacks the field is skipped with a warning.
  request.filters = {{"folder", "", "b"}};
  request.scope.connection_id.clear();
  const api::SearchPage page = must(server().search().find(owner(), request));
  EXPECT_EQ(sorted(names(page)), (Ids{"inbox/messages:m2", "inbox/messages:m3"}));
  ASSERT_EQ(page.warnings.size(), 1U);
  EXPECT_EQ(page.warnings[0].code, "source_skipped_not_applicable");
  EXPECT_NE(page.warnings[0].detail.find("\"connection_id\":\"team\""), std::string::npos) << page.warnings[0].detail;

  for (const Ids& streams : {Ids{}, Ids{"messages", "files"}}) {
    request.streams = streams;
    EXPECT_EQ(refusal(owner(), request), "invalid_request streams");
  }
  request.streams = {"messages", "messages"};
  EXPECT_EQ(refusal(owner(), request), "fine");
}

TEST_P(Search, InvalidParametersAreRefusedByName) {
  put_mail("m1", {.body = "fig"});
  const server::Access agent = client({"inbox", "messages", {}, {}, {}, {}});
  for (const char* q : {"", "  ", "-fig", "...", "\""}) EXPECT_EQ(refusal(agent, words(q)), "invalid_request q") << q;
  EXPECT_EQ(refusal(agent, words(std::string(8'001, 'x'))), "invalid_request q");
  api::SearchRequest request = words("fig");
  for (const char* stream : {"files", "nosuch"}) {
    request.streams = {"messages", stream};
    EXPECT_EQ(refusal(agent, request), "grant_stream_not_allowed streams") << stream;
  }
  const auto refused = [&](const char* stream) {
    api::SearchRequest one = words("fig");
    one.streams = {stream};
    return server().search().find(agent, one).error().message;
  };
  std::string there = refused("files"), missing = refused("nosuch");
  there.replace(there.find("files"), 5, "X");
  missing.replace(missing.find("nosuch"), 6, "X");
  EXPECT_EQ(there, missing) << "an ungranted stream and a missing one are refused alike";
  request = words("fig");
  for (const char* connection : {"archive", "team", "nosuch"}) {
    request.scope.connection_id = connection;
    EXPECT_EQ(refusal(agent, request), "connection_not_found connection_id") << connection;
  }
  EXPECT_EQ(refusal(owner(), request), "connection_not_found connection_id");
  std::stop_source stop;
  stop.request_stop();
  const auto stopped = server().search().find(owner(), words("fig"), stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
}

TEST_P(Search, LongFieldsAreFoundByTheirPassages) {
  std::string text;
  std::map<std::string, std::int64_t> at;
  const auto add = [&](const std::string& word) {
    at[word] = utf8::count(text);
    text += word + " ";
  };
  for (int i = 0; text.size() < 300'000; ++i) {
    text += format("Zeile {} über dies und das 🙂 \n", i);
    if (i == 2'000) add("xylophone");
    if (i == 5'000) add("zither");
  }
  put_mail("long", {.subject = "Orchestra", .body = text});
  put_mail("short", {.subject = "Orchestra", .body = "xylophone"});
  for (const server::Access& who : {owner(), client({"inbox", "messages", {"id", "subject", "body"}, {}, {}, {}})}) {
    const api::SearchPage page = must(server().search().find(who, words("xylophone +zither")));
    ASSERT_EQ(names(page), (Ids{"inbox/messages:long"}));
    const api::SearchHit& hit = page.hits[0];
    EXPECT_EQ(hit.matched_fields, (Ids{"body"}));
    ASSERT_EQ(hit.windows.size(), 2U) << "the words lie apart: a window for each";
    expect_exact(who, hit);
    std::set<std::int64_t> starts;
    for (const api::MatchWindow& window : hit.windows) {
      ASSERT_EQ(window.matches.size(), 1U);
      starts.insert(window.matches[0].start_chars);
      EXPECT_EQ(window.size_chars, utf8::count(text));
      EXPECT_FALSE(window.complete);
      EXPECT_LE(window.end_chars - window.start_chars, 240);
      EXPECT_GT(window.end_chars - window.start_chars, 150) << "with text on both sides";
    }
    EXPECT_EQ(starts, (std::set<std::int64_t>{at["xylophone"], at["zither"]}));
    EXPECT_EQ(sorted(find(who, "xylophone")), (Ids{"inbox/messages:long", "inbox/messages:short"}));
    const api::SearchPage titled = must(server().search().find(who, words("orchestra +zither")));
    ASSERT_EQ(names(titled), (Ids{"inbox/messages:long"}));
    EXPECT_EQ(titled.hits[0].matched_fields, (Ids{"subject", "body"}));
    EXPECT_EQ(titled.hits[0].windows.size(), 2U);
    EXPECT_EQ(find(who, "orchestra -zither"), (Ids{"inbox/messages:short"}));
    expect_exact(who, titled.hits[0]);
  }
  put_mail("long", {.subject = "Orchestra", .body = "short now"});
  EXPECT_EQ(find(owner(), "zither"), Ids());
}

TEST_P(Search, ChangesAreFoundAtOnce) {
  put_mail("m1", {.body = "before"});
  EXPECT_EQ(find(owner(), "before").size(), 1U);
  put_mail("m1", {.body = "after"});
  EXPECT_EQ(find(owner(), "before"), Ids());
  EXPECT_EQ(find(owner(), "after").size(), 1U);
  erase_mail("m1");
  EXPECT_EQ(find(owner(), "after"), Ids());
  EXPECT_EQ(must(server().search().find(owner(), words("after"))).count, 0);
}

TEST_P(Search, AnEndedGrantAddsNothing) {
  put_mail("m1", {.body = "thyme"});
  put_chat("c1", "thyme");
  const server::IssuedGrants issued = issue({{"inbox", "messages", {}, {}, {}, {}}, {"team", "messages", {}, {}, {}, {}}});
  ASSERT_EQ(issued.grant_ids.size(), 2U);
  const server::Access agent = must(server().accesses().authenticate(issued.token));
  EXPECT_EQ(sorted(find(agent, "thyme")), (Ids{"inbox/messages:m1", "team/messages:c1"}));
  must(server().grants().revoke(owner(), issued.grant_ids[0]));
  const api::SearchPage left = must(server().search().find(agent, words("thyme")));
  EXPECT_EQ(names(left), (Ids{"team/messages:c1"})) << "an access from before the revocation, too";
  EXPECT_EQ(left.count, 1);
  EXPECT_EQ(left.recall.sources_searched, 1);
  api::SearchRequest gone = words("thyme");
  gone.scope.connection_id = "inbox";
  EXPECT_EQ(refusal(agent, gone), "grant_revoked ");
  must(server().grants().revoke(owner(), issued.grant_ids[1]));
  EXPECT_EQ(refusal(agent, words("thyme")), "grant_revoked ");
}

TEST_P(Search, AnExpiredGrantIsRefused) {
  put_mail("m1", {.body = "thyme"});
  server::GrantRequest request;
  request.client_id = "agent";
  request.streams = {{"inbox", "messages", {}, {}, {}, {}}};
  request.expires_at = clock().now() + 60 * kSecond;
  const server::Access agent = must(server().accesses().authenticate(must(server().grants().create(owner(), request)).token));
  EXPECT_EQ(find(agent, "thyme").size(), 1U);
  clock().move(61 * kSecond);
  EXPECT_EQ(refusal(agent, words("thyme")), "grant_expired ");
}

TEST_P(Search, UnsearchableStreamsAreNamedAndNotCounted) {
  put_mail("m1", {.body = "basil"});
  const server::Access files = client({"inbox", "files", {}, {}, {}, {}});
  const api::SearchPage none = must(server().search().find(files, words("basil")));
  EXPECT_TRUE(none.hits.empty());
  EXPECT_FALSE(none.count);
  EXPECT_FALSE(none.recall.complete);
  EXPECT_FALSE(none.recall.truncated);
  ASSERT_EQ(none.warnings.size(), 1U);
  EXPECT_EQ(none.warnings[0].code, "source_skipped_not_applicable");
  EXPECT_EQ(none.warnings[0].detail, R"({"source":"https://sources.example/mail","connection_id":"inbox","streams":["files"]})");
  const server::Access textless = client({"inbox", "messages", {"id", "sent_at"}, {}, {}, {}});
  EXPECT_FALSE(must(server().search().find(textless, words("basil"))).count);
  const server::Access fine = client({"inbox", "messages", {}, {}, {}, {}});
  EXPECT_TRUE(must(server().search().find(fine, words("basil"))).warnings.empty());
}

TEST_P(Search, ATooLargeLimitIsClampedWithAWarning) {
  put_mail("m1", {.body = "sage"});
  api::SearchRequest request = words("sage");
  request.streams = {"messages"};
  request.limit = 1'000;
  const api::SearchPage page = must(server().search().find(owner(), request));
  ASSERT_EQ(page.warnings.size(), 1U);
  EXPECT_EQ(page.warnings[0].code, "limit_clamped");
}

TEST_P(Search, FieldsBeingIndexedAreReportedAndFoundLater) {
  put_mail("m1", {.body = "dill", .folder = "parsley"});
  declare_without_reindexing("2", {"subject", "body", "private", "folder"});
  api::SearchRequest request = words("parsley");
  request.streams = {"messages"};
  request.scope.connection_id = "inbox";
  const api::SearchPage during = must(server().search().find(owner(), request));
  EXPECT_TRUE(during.hits.empty());
  EXPECT_EQ(during.pending_scopes, 1);
  EXPECT_FALSE(during.recall.complete);
  request.q = "dill";
  EXPECT_EQ(must(server().search().find(owner(), request)).hits.size(), 1U) << "the others go on";
  const server::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  EXPECT_EQ(must(server().search().find(agent, request)).pending_scopes, 0) << "the field is not the caller's";
  while (!must(server().maintenance().reindex(owner(), Deadline::after(std::chrono::seconds(5))))) {
  }
  request.q = "parsley";
  const api::SearchPage after = must(server().search().find(owner(), request));
  ASSERT_EQ(names(after), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(after.pending_scopes, 0);
  EXPECT_TRUE(after.recall.complete);
  EXPECT_EQ(after.hits[0].matched_fields, (Ids{"folder"}));

  // The field is no longer searched.
  must(server().sources().add(owner(), test_support::mail_declaration("3", {"subject"}), "mail"));
  EXPECT_EQ(find(owner(), request), Ids());
  request.q = "dill";
  EXPECT_EQ(find(owner(), request), Ids());
  EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>());
}

LADDER_FOR_EVERY_ENGINE(Search);

}  // namespace
}  // namespace ladder
