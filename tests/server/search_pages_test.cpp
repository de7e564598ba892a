// Pages of a search: they reach every match once and keep their order while records change, and their cursors fit no
// other search.
#include "search_suite.h"

#include <set>

namespace ladder {
namespace {

using test_support::must;

class SearchPages : public SearchSuite {};

TEST_P(SearchPages, PagesOfAnySizeReachEveryMatchOnce) {
  std::vector<Ids> walks;
  std::string lines;
  for (int i = 0; i < 40; ++i) {
    std::string body = "mango";
    for (int more = 0; more < i % 4; ++more) body += " mango";
    put_mail(format("m{:02}", i), {.body = body, .sent_at = i % 5 == 0 ? "" : format("2026-01-{:02}T00:00:00Z", 1 + i % 7)},
             i % 3 ? "inbox" : "archive");
  }
  for (int i = 0; i < 10; ++i)
    put_mail("same", {.body = "mango", .sent_at = "2026-01-01T00:00:00Z"}, i % 2 ? "inbox" : "archive");
  put_chat("c1", "mango");
  for (const std::int64_t limit : {1, 2, 7, 100}) {
    api::SearchRequest request = words("mango");
    request.limit = limit;
    walks.push_back(walk(owner(), request));
    EXPECT_EQ((std::set<std::string>(walks.back().begin(), walks.back().end()).size()), 43U);
    EXPECT_EQ(walks.back(), walks.front()) << limit;
  }
  // The page size may change between pages.
  api::SearchRequest request = words("mango");
  request.limit = 5;
  const api::SearchPage first = must(server().search().find(owner(), request));
  EXPECT_EQ(first.count, 43);
  EXPECT_EQ(first.recall.ranked_candidates, 43);
  request.cursor = first.next_cursor;
  request.limit = 100;
  const api::SearchPage rest = must(server().search().find(owner(), request));
  EXPECT_EQ(rest.hits.size(), 38U);
  EXPECT_EQ(rest.count, 43) << "the same on every page";
  EXPECT_FALSE(rest.has_more);
}

TEST_P(SearchPages, AWalkKeepsItsOrderWhileRecordsChange) {
  for (int i = 0; i < 20; ++i)
    put_mail(format("m{:02}", i), {.body = "grape", .sent_at = format("2026-01-{:02}T00:00:00Z", 1 + i)});
  api::SearchRequest request = words("grape");
  request.limit = 3;
  Ids seen;
  for (int page_no = 0;; ++page_no) {
    const api::SearchPage page = must(server().search().find(owner(), request));
    for (std::string& id : names(page)) seen.push_back(std::move(id));
    if (!page.has_more) break;
    request.cursor = page.next_cursor;
    put_mail(format("new{}", page_no),
             {.body = "grape grape grape", .sent_at = "2026-12-01T00:00:00Z"});  // before what was shown
    erase_mail(format("m{:02}", 19 - page_no));                                  // already shown
  }
  Ids expected;
  for (int i = 19; i >= 0; --i) expected.push_back(format("inbox/messages:m{:02}", i));
  EXPECT_EQ(seen, expected);
}

// Hundreds with one score, some with the same time and some without: the newest come first, then by key.
TEST_P(SearchPages, EqualScoresAreNewestFirst) {
  struct Sent {
    std::string id, at;
  };
  std::vector<Sent> mails;
  for (int i = 0; i < 900; ++i) {
    const int when = i * 7919 % 900;
    mails.push_back(
        {format("m{:03}", i), when % 10 == 0 ? "" : format("2026-01-01T00:{:02}:{:02}Z", when / 4 / 60, when / 4 % 60)});
  }
  std::string lines;
  for (const Sent& mail : mails)
    lines += test_support::record_line(mail.id, test_support::Mail{.body = "papaya", .sent_at = mail.at}.members());
  EXPECT_EQ(ingest(lines, "inbox", "messages").accepted, std::ssize(mails));
  put_mail("best", {.body = "papaya papaya papaya", .sent_at = "2020-01-01T00:00:00Z"});
  std::ranges::sort(mails, [](const Sent& a, const Sent& b) {
    return a.at != b.at ? a.at > b.at : a.id < b.id;  // a missing time is the oldest
  });
  Ids expected = {"inbox/messages:best"};
  for (const Sent& mail : mails) expected.push_back("inbox/messages:" + mail.id);
  for (const std::int64_t limit : {1, 10, 40, 100}) {
    api::SearchRequest request = words("papaya");
    request.limit = limit;
    const Ids first = find(owner(), request);
    EXPECT_EQ(first, Ids(expected.begin(), expected.begin() + limit)) << limit;
  }
  api::SearchRequest request = words("papaya");
  request.limit = 90;
  EXPECT_EQ(walk(owner(), request), expected);
}

TEST_P(SearchPages, CursorsBelongToTheirSearch) {
  for (int i = 0; i < 6; ++i) {
    put_mail(format("m{}", i), {.body = "olive oil", .folder = "a"});
    put_chat(format("c{}", i), "olive oil");
  }
  const auto agent = [&] { return client({"inbox", "messages", {}, {}, {}, {}}); };
  const server::Access one = agent(), other = agent();
  api::SearchRequest request = words("olive  oil -vinegar");
  request.limit = 2;
  request.streams = {"messages"};
  request.filters = {{"folder", "", "a"}};
  request.cursor = must(server().search().find(one, request)).next_cursor;
  EXPECT_EQ(refusal(one, request), "fine");
  request.q = " olive oil  -vinegar ";
  request.limit = 3;
  EXPECT_EQ(refusal(one, request), "fine") << "white space and page size do not matter";
  request.streams = {"messages", "messages"};
  EXPECT_EQ(refusal(one, request), "fine");

  const auto changed = [&](auto change) {
    api::SearchRequest asked = request;
    change(asked);
    return refusal(one, asked);
  };
  using Request = api::SearchRequest;
  EXPECT_EQ(refusal(other, request), "cursor_mismatch cursor") << "another grant";
  EXPECT_EQ(refusal(owner(), request), "cursor_mismatch cursor");
  EXPECT_EQ(changed([](Request& r) { r.q = "olive oil"; }), "cursor_mismatch cursor");
  EXPECT_EQ(changed([](Request& r) { r.q = "olive* oil -vinegar"; }), "cursor_mismatch cursor");
  EXPECT_EQ(changed([](Request& r) { r.q = "\"olive oil\" -vinegar"; }), "cursor_mismatch cursor");
  EXPECT_EQ(changed([](Request& r) { r.filters.clear(); }), "cursor_mismatch cursor");
  EXPECT_EQ(changed([](Request& r) { r.scope.connection_id = "inbox"; }), "cursor_mismatch cursor");
  EXPECT_EQ(changed([](Request& r) { r.filters.clear(), r.streams.clear(); }), "cursor_mismatch cursor");
  EXPECT_EQ(changed([](Request& r) { r.cursor = "x"; }), "invalid_cursor cursor");
  EXPECT_EQ(changed([](Request& r) { r.cursor.pop_back(); }), "invalid_cursor cursor");
  api::RecordsRequest list;
  list.stream = "messages";
  list.limit = 2;
  const std::string of_list = must(server().reads().records(one, list)).next_cursor;
  EXPECT_EQ(changed([&](Request& r) { r.cursor = of_list; }), "invalid_cursor cursor");
}

LADDER_FOR_EVERY_ENGINE(SearchPages);

}  // namespace
}  // namespace ladder
