// Times in the words of a query, and time ranges listed without any word.
#include "search_suite.h"

#include "base/text/format.h"

namespace ladder {
namespace {

using test_support::must;

// The fixture's clock is at noon of Sunday, 2026-11-01.
class SearchTimes : public SearchSuite {
 protected:
  SearchTimes() {
    put_mail("spring", {.body = "the hotel in Lisbon", .sent_at = "2026-04-10T08:00:00Z"});
    put_mail("monday", {.body = "the hotel again", .sent_at = "2026-10-26T08:00:00Z"});
    put_mail("sunday", {.body = "a walk", .sent_at = "2026-11-01T09:00:00Z"});
    put_mail("monday2", {.body = "another hotel", .sent_at = "2026-10-27T08:00:00Z"}, "archive");
    put_mail("timeless", {.body = "a hotel without a time", .sent_at = ""});
    put_chat("c1", "the hotel of the chat");
  }
  api::SearchRequest range(std::string q, std::string_view since, std::string_view until) {
    api::SearchRequest request = words(std::move(q));
    if (!since.empty()) request.since = parse_time(since);
    if (!until.empty()) request.until = parse_time(until);
    return request;
  }
  static const api::Warning* time_range(const api::SearchPage& page) {
    const auto found = std::ranges::find(page.warnings, "time_range", &api::Warning::code);
    return found == page.warnings.end() ? nullptr : &*found;
  }
};

TEST_P(SearchTimes, QueryWordsSetTheRangeAndTheResponseSaysSo) {
  const api::SearchPage page = must(server().search(owner(), words("which hotel last spring?")));
  EXPECT_EQ(names(page), (Ids{"inbox/messages:spring"}));
  ASSERT_NE(time_range(page), nullptr);
  EXPECT_EQ(time_range(page)->detail, R"({"since":"2026-03-01T00:00:00.000Z","until":"2026-06-01T00:00:00.000Z"})");
  EXPECT_NE(time_range(page)->message.find("\"last spring?\""), std::string::npos) << time_range(page)->message;
  EXPECT_EQ(find(owner(), "hotel in April 2026"), (Ids{"inbox/messages:spring"}));
  EXPECT_EQ(sorted(find(owner(), "hotel this week")), (Ids{"archive/messages:monday2", "inbox/messages:monday"}));
  EXPECT_EQ(time_range(must(server().search(owner(), words("hotel")))), nullptr);
}

TEST_P(SearchTimes, AnExplicitRangeKeepsTheWords) {
  const api::SearchPage page = must(server().search(owner(), range("hotel last spring", "2026-10-01", "2026-10-27")));
  EXPECT_EQ(names(page), (Ids{"inbox/messages:monday"}));
  EXPECT_EQ(time_range(page), nullptr);
}

TEST_P(SearchTimes, WordsWithoutAHitInTheirRangeAreSearchedEverywhere) {
  put_mail("plan", {.body = "The ferry in March 2024 was cancelled", .sent_at = "2026-01-01T00:00:00Z"});
  api::SearchRequest request = words("ferry in March 2024");
  const api::SearchPage page = must(server().search(owner(), request));
  EXPECT_EQ(names(page), (Ids{"inbox/messages:plan"}));
  ASSERT_NE(time_range(page), nullptr);
  EXPECT_TRUE(time_range(page)->detail.empty());
}

TEST_P(SearchTimes, ACursorKeepsTheRangeWhenTheClockAdvances) {
  for (int i = 0; i < 5; ++i) put_mail(format("y{}", i), {.body = "hotel", .sent_at = format("2026-10-31T0{}:00:00Z", i)});
  api::SearchRequest request = words("hotel yesterday");
  request.limit = 2;
  const api::SearchPage first = must(server().search(owner(), request));
  EXPECT_EQ(first.hits.size(), 2U);
  clock().move(kDay);
  request.cursor = first.next_cursor;
  EXPECT_EQ(walk(owner(), request).size(), 3U);
}

TEST_P(SearchTimes, ARangeWithoutWordsIsListedByTime) {
  const Ids week = {"inbox/messages:monday", "archive/messages:monday2", "inbox/messages:sunday"};
  EXPECT_EQ(find(owner(), "what happened this week?"), week);
  EXPECT_EQ(find(owner(), range("", "2026-10-26", "2026-11-02")), week);
  EXPECT_EQ(find(owner(), range("everything", "2026-10-26", "2026-11-02")), week);
  EXPECT_EQ(find(owner(), range("", "2026-10-26", "")), (Ids{week[2], week[1], week[0]})) << "an open range from its newest on";
  api::SearchRequest request = range("", "2026-10-26", "2026-11-02");
  request.order = api::SearchOrder::kNewest;
  EXPECT_EQ(find(owner(), request), (Ids{week[2], week[1], week[0]}));
  EXPECT_EQ(find(owner(), range("in:archive", "2026-10-26", "2026-11-02")), (Ids{week[1]}));
  EXPECT_TRUE(find(owner(), "what happened in 1999").empty()) << "and its words are not sought elsewhere";
  EXPECT_EQ(refusal(owner(), words("")), "invalid_request q") << "a list needs a range";
}

TEST_P(SearchTimes, AListedRecordShowsTheBeginningOfItsText) {
  std::string text;
  for (int i = 0; text.size() < 50'000; ++i) text += format("sentence {} of a long letter. ", i);
  put_mail("long", {.subject = "A letter", .body = text, .sent_at = "2025-01-01T00:00:00Z"});
  const api::SearchPage page = must(server().search(owner(), range("", "2025-01-01", "2025-01-02")));
  ASSERT_EQ(names(page), (Ids{"inbox/messages:long"}));
  const api::SearchHit& hit = page.hits[0];
  EXPECT_TRUE(hit.matched_fields.empty());
  ASSERT_EQ(hit.windows.size(), 1U);
  const api::MatchWindow& window = hit.windows[0];
  EXPECT_EQ(window.field_path, "body");
  EXPECT_TRUE(window.matches.empty());
  EXPECT_EQ(window.start_chars, 0);
  EXPECT_GT(window.end_chars, 100);
  EXPECT_FALSE(window.complete);
  EXPECT_EQ(window.text, text.substr(0, static_cast<std::size_t>(window.end_chars)));
  const auto titles = client({"inbox", "messages", {"id", "subject", "sent_at"}, {}, {}, {}});
  const api::SearchPage narrow = must(server().search(titles, range("", "2025-01-01", "2025-01-02")));
  ASSERT_EQ(narrow.hits.size(), 1U);
  ASSERT_EQ(narrow.hits[0].windows.size(), 1U);
  EXPECT_EQ(narrow.hits[0].windows[0].text, "A letter") << "without the text, the granted fields";
}

TEST_P(SearchTimes, AListContinuesWithItsCursor) {
  Ids all;
  for (int i = 0; i < 12; ++i) {  // several share a time
    const std::string id = format("n{:02}", i);
    put_mail(id, {.body = "x", .sent_at = format("2025-05-0{}T00:00:00Z", 1 + i / 4)});
    all.push_back("inbox/messages:" + id);
  }
  for (const std::int64_t limit : {1, 3, 5, 100}) {
    api::SearchRequest request = range("", "2025-05-01", "2025-06-01");
    request.limit = limit;
    EXPECT_EQ(walk(owner(), request), all) << limit;
    request.order = api::SearchOrder::kNewest;
    const Ids newest = walk(owner(), request);
    EXPECT_EQ(newest.front(), "inbox/messages:n08") << limit;
    EXPECT_EQ(sorted(newest), all) << limit;
  }
}

TEST_P(SearchTimes, AListShowsGrantedDataOnly) {
  const auto timed = client({"inbox", "messages", {"id", "body", "sent_at"}, {}, {}, {}});
  EXPECT_EQ(find(timed, range("", "2026-10-26", "2026-11-02")), (Ids{"inbox/messages:monday", "inbox/messages:sunday"}));
  const auto blind = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  EXPECT_TRUE(find(blind, range("", "2026-10-26", "2026-11-02")).empty()) << "a client without the times gets none";
}

LADDER_FOR_EVERY_ENGINE(SearchTimes);

}  // namespace
}  // namespace ladder
