// Search under a grant: what is found, what proves it, what is refused, and that pages reach the end.
#include "base/utf8.h"
#include "support/mail_fixture.h"

#include <algorithm>
#include <map>
#include <set>

namespace ladder {
namespace {

using test_support::at_offset;
using test_support::must;
using test_support::text_member;
using Ids = std::vector<std::string>;

class Search : public test_support::MailFixture {
 protected:
  static port::SearchRequest words(std::string q) {
    port::SearchRequest request;
    request.q = std::move(q);
    return request;
  }
  static std::string name_of(const port::SearchHit& hit) {
    return hit.ref.connection_id + "/" + hit.ref.stream + ":" + hit.ref.record_id;
  }
  static Ids names(const port::SearchPage& page) {
    Ids found;
    for (const port::SearchHit& hit : page.hits) found.push_back(name_of(hit));
    return found;
  }
  static Ids sorted(Ids ids) {
    std::ranges::sort(ids);
    return ids;
  }
  Ids find(const rs::Access& access, const port::SearchRequest& request) { return names(must(server().search(access, request))); }
  Ids find(const rs::Access& access, std::string q) { return find(access, words(std::move(q))); }

  // Every page; each hit once.
  Ids walk(const rs::Access& access, port::SearchRequest request) {
    Ids ids;
    for (int pages = 0; pages < 1'000; ++pages) {
      const port::SearchPage page = must(server().search(access, request));
      for (const port::SearchHit& hit : page.hits) ids.push_back(name_of(hit));
      EXPECT_EQ(page.has_more, !page.next_cursor.empty());
      if (!page.has_more) return ids;
      request.cursor = page.next_cursor;
    }
    ADD_FAILURE() << "the search does not end";
    return ids;
  }
  std::string refusal(const rs::Access& access, const port::SearchRequest& request) {
    const auto page = server().search(access, request);
    return page ? std::string("fine") : std::string(page.error().wire()) + " " + page.error().param;
  }

  // Each window is what field-window gives for its range, and so are its matches.
  void expect_exact(const rs::Access& access, const port::SearchHit& hit) {
    for (const port::MatchWindow& window : hit.windows) {
      const auto read = must(server().field_window(
          access, {hit.ref, window.field_path, at_offset(window.start_chars, window.end_chars - window.start_chars)}));
      EXPECT_EQ(read.text, window.text);
      EXPECT_EQ(read.size_chars, window.size_chars);
      EXPECT_EQ(read.complete(), window.complete);
      EXPECT_FALSE(window.matches.empty());
    }
  }
  std::string match_text(const rs::Access& access, const port::SearchHit& hit, std::size_t window, std::size_t match) {
    const auto& range = hit.windows.at(window).matches.at(match);
    return must(server().field_window(access, {hit.ref, hit.windows[window].field_path,
                                               at_offset(range.start_chars, range.end_chars - range.start_chars)}))
        .text;
  }
};

TEST_P(Search, a_hit_shows_record_field_range_and_text) {
  put_mail("m1",
           {.subject = "Keys", .body = "The spare key hangs behind the third clock.", .sent_at = "2026-03-01T09:00:00+01:00"});
  put_mail("m2", {.subject = "Lunch", .body = "Nothing of the kind."});
  const port::SearchPage page = must(server().search(owner(), words("third CLOCK")));
  ASSERT_EQ(names(page), (Ids{"inbox/messages:m1"}));
  const port::SearchHit& hit = page.hits[0];
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

TEST_P(Search, words_are_anded_over_the_whole_record) {
  put_mail("m1", {.subject = "Zürich trip", .body = "We take the early train."});
  put_mail("m2", {.subject = "Train", .body = "The late one."});
  EXPECT_EQ(find(owner(), "zurich train"), (Ids{"inbox/messages:m1"})) << "one word in each field";
  const port::SearchPage page = must(server().search(owner(), words("zurich train")));
  EXPECT_EQ(page.hits[0].matched_fields, (Ids{"subject", "body"}));
  ASSERT_EQ(page.hits[0].windows.size(), 2U);
  expect_exact(owner(), page.hits[0]);
  EXPECT_EQ(find(owner(), "\"early train\""), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(find(owner(), "\"train early\""), Ids());
  EXPECT_EQ(sorted(find(owner(), "trai*")), (Ids{"inbox/messages:m1", "inbox/messages:m2"}));
  EXPECT_EQ(find(owner(), "train -early"), (Ids{"inbox/messages:m2"}));
  EXPECT_EQ(find(owner(), "train -\"early train\" -late"), Ids());
  EXPECT_EQ(find(owner(), "trai"), Ids());
}

TEST_P(Search, a_title_weighs_more_and_ties_are_newest_first) {
  put_mail("body", {.subject = "Nothing", .body = "apricot", .sent_at = "2026-05-01T00:00:00Z"});
  put_mail("title", {.subject = "apricot", .body = "Nothing", .sent_at = "2026-01-01T00:00:00Z"});
  put_mail("newer", {.subject = "Nothing", .body = "apricot", .sent_at = "2026-06-01T00:00:00Z"});
  EXPECT_EQ(find(owner(), "apricot"), (Ids{"inbox/messages:title", "inbox/messages:newer", "inbox/messages:body"}));
  // Who may not know the times gets equal scores by key.
  EXPECT_EQ(find(client({"inbox", "messages", {"id", "body"}, {}, {}, {}}), "apricot"),
            (Ids{"inbox/messages:body", "inbox/messages:newer"}));
}

TEST_P(Search, spans_connections_and_sources_and_narrows) {
  put_mail("m1", {.body = "harbour lights"}, "inbox");
  put_mail("m2", {.body = "harbour walls"}, "archive");
  put_chat("c1", "harbour cats");
  const Ids all = {"archive/messages:m2", "inbox/messages:m1", "team/messages:c1"};
  const port::SearchPage page = must(server().search(owner(), words("harbour")));
  EXPECT_EQ(sorted(names(page)), all) << "a name that two sources share is no conflict";
  EXPECT_EQ(page.recall.sources_searched, 3);
  port::SearchRequest request = words("harbour");
  request.streams = {"messages"};
  EXPECT_EQ(sorted(find(owner(), request)), all);
  request.scope.connection_id = "archive";
  EXPECT_EQ(find(owner(), request), (Ids{"archive/messages:m2"}));
  request.streams = {"nosuch"};
  EXPECT_EQ(find(owner(), request), Ids()) << "an owner's unknown stream has no hits";
  request.streams = {"files", "messages"};
  EXPECT_EQ(find(owner(), request), (Ids{"archive/messages:m2"}));

  const rs::Access agent =
      must(server().authenticate(issue({{"inbox", "messages", {}, {}, {}, {}}, {"team", "messages", {}, {}, {}, {}}}).token));
  EXPECT_EQ(sorted(find(agent, "harbour")), (Ids{"inbox/messages:m1", "team/messages:c1"}));
  request = words("harbour");
  request.scope.connection_id = "team";
  EXPECT_EQ(find(agent, request), (Ids{"team/messages:c1"}));
}

TEST_P(Search, only_granted_fields_are_searched_and_shown) {
  put_mail("m1", {.subject = "lemon", .body = "pear", .hidden = "quince", .sent_at = "2026-01-01T00:00:00Z"});
  put_mail("m2", {.subject = "lemon", .body = "quince", .hidden = "pear", .sent_at = "2026-01-02T00:00:00Z"});
  const rs::Access agent = client({"inbox", "messages", {"id", "subject", "body"}, {}, {}, {}});
  EXPECT_EQ(find(agent, "quince"), (Ids{"inbox/messages:m2"}));
  EXPECT_EQ(find(agent, "pear"), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(find(agent, "pear quince"), Ids()) << "a word in a hidden field is not there";
  EXPECT_EQ(find(agent, "lemon -quince"), (Ids{"inbox/messages:m1"})) << "nor does it exclude";
  const port::SearchPage page = must(server().search(agent, words("quince")));
  EXPECT_EQ(page.count, 1);
  EXPECT_EQ(page.recall.ranked_candidates, 1);
  EXPECT_EQ(page.hits[0].matched_fields, (Ids{"body"}));
  EXPECT_EQ(page.hits[0].authored_at, "") << "the time is not granted";
  EXPECT_EQ(must(server().search(owner(), words("pear quince"))).count, 2);
}

TEST_P(Search, hidden_text_changes_neither_score_nor_order) {
  put_mail("m1", {.body = "walnut", .hidden = "nothing"});
  const rs::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  const std::int64_t before = must(server().search(agent, words("walnut"))).hits.at(0).score;
  put_mail("m1", {.body = "walnut", .hidden = "walnut walnut walnut walnut"});
  put_mail("m2", {.subject = "walnut", .hidden = "walnut"});
  const port::SearchPage after = must(server().search(agent, words("walnut")));
  ASSERT_EQ(names(after), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(after.hits[0].score, before);
  EXPECT_EQ(after.count, 1);
}

TEST_P(Search, time_and_record_constraints_hold_inside_the_search) {
  for (int day = 1; day <= 9; ++day)
    put_mail(format("m{}", day), {.body = "cherry", .sent_at = format("2026-02-0{}T00:00:00Z", day)});
  put_mail("undated", {.body = "cherry", .sent_at = ""});
  const Instant since = *parse_time("2026-02-03T00:00:00Z"), until = *parse_time("2026-02-06T00:00:00Z");
  const rs::Access timed = client({"inbox", "messages", {"id", "body"}, since, until, {}});
  const Ids in_time = {"inbox/messages:m3", "inbox/messages:m4", "inbox/messages:m5"};
  EXPECT_EQ(find(timed, "cherry"), in_time) << "enforced although the time is not granted, and by key since it is not";
  EXPECT_EQ(must(server().search(timed, words("cherry"))).count, 3);
  const rs::Access named = client({"inbox", "messages", {}, {}, {}, {"m2", "m7", "gone"}});
  EXPECT_EQ(find(named, "cherry"), (Ids{"inbox/messages:m7", "inbox/messages:m2"}));
  EXPECT_EQ(must(server().search(named, words("cherry"))).count, 2);
  const rs::Access both = client({"inbox", "messages", {}, since, until, {"m2", "m4"}});
  EXPECT_EQ(find(both, "cherry"), (Ids{"inbox/messages:m4"}));
  EXPECT_EQ(must(server().search(owner(), words("cherry"))).count, 10);
  EXPECT_EQ(find(owner(), "cherry").back(), "inbox/messages:undated") << "records without a time come last";
}

TEST_P(Search, filters_are_for_one_stream_and_for_clients_too) {
  put_mail("m1", {.body = "plum", .folder = "a", .size = 10});
  put_mail("m2", {.body = "plum", .folder = "b", .size = 20});
  put_mail("m3", {.body = "plum", .folder = "b", .size = 30});
  put_chat("c1", "plum");
  port::SearchRequest request = words("plum");
  request.streams = {"messages"};
  request.scope.connection_id = "inbox";
  request.filters = {{"folder", "", "b"}};
  EXPECT_EQ(sorted(find(owner(), request)), (Ids{"inbox/messages:m2", "inbox/messages:m3"}));
  EXPECT_EQ(must(server().search(owner(), request)).count, 2);
  request.filters.push_back({"size", "gte", "25"});
  const rs::Access agent = client({"inbox", "messages", {"id", "body", "folder", "size"}, {}, {}, {}});
  EXPECT_EQ(find(agent, request), (Ids{"inbox/messages:m3"}));
  const rs::Access narrow = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  EXPECT_EQ(refusal(narrow, request), "field_not_granted field");
  request.filters = {{"nosuch", "", "b"}};
  EXPECT_EQ(refusal(owner(), request), "unknown_field filter[nosuch]");
  request.filters = {{"size", "gte", "much"}};
  EXPECT_EQ(refusal(owner(), request), "invalid_request filter[size]");

  // A source whose stream of that name lacks the field is passed over, and that is said.
  request.filters = {{"folder", "", "b"}};
  request.scope.connection_id.clear();
  const port::SearchPage page = must(server().search(owner(), request));
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

TEST_P(Search, what_cannot_be_asked_is_refused_by_name) {
  put_mail("m1", {.body = "fig"});
  const rs::Access agent = client({"inbox", "messages", {}, {}, {}, {}});
  for (const char* q : {"", "  ", "-fig", "...", "\""}) EXPECT_EQ(refusal(agent, words(q)), "invalid_request q") << q;
  EXPECT_EQ(refusal(agent, words(std::string(1025, 'x'))), "invalid_request q");
  port::SearchRequest request = words("fig");
  for (const char* stream : {"files", "nosuch"}) {
    request.streams = {"messages", stream};
    EXPECT_EQ(refusal(agent, request), "grant_stream_not_allowed streams") << stream;
  }
  const auto refused = [&](const char* stream) {
    port::SearchRequest one = words("fig");
    one.streams = {stream};
    return server().search(agent, one).error().message;
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
  const auto stopped = server().search(owner(), words("fig"), stop.get_token());
  ASSERT_FALSE(stopped);
  EXPECT_EQ(stopped.error().code, Code::kCancelled);
}

TEST_P(Search, pages_reach_every_match_once_whatever_their_size) {
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
    port::SearchRequest request = words("mango");
    request.limit = limit;
    walks.push_back(walk(owner(), request));
    EXPECT_EQ((std::set<std::string>(walks.back().begin(), walks.back().end()).size()), 43U);
    EXPECT_EQ(walks.back(), walks.front()) << limit;
  }
  // The size of a page may change on the way.
  port::SearchRequest request = words("mango");
  request.limit = 5;
  const port::SearchPage first = must(server().search(owner(), request));
  EXPECT_EQ(first.count, 43);
  EXPECT_EQ(first.recall.ranked_candidates, 43);
  request.cursor = first.next_cursor;
  request.limit = 100;
  const port::SearchPage rest = must(server().search(owner(), request));
  EXPECT_EQ(rest.hits.size(), 38U);
  EXPECT_EQ(rest.count, 43) << "the same on every page";
  EXPECT_FALSE(rest.has_more);
}

TEST_P(Search, a_walk_keeps_its_order_while_records_come_and_go) {
  for (int i = 0; i < 20; ++i)
    put_mail(format("m{:02}", i), {.body = "grape", .sent_at = format("2026-01-{:02}T00:00:00Z", 1 + i)});
  port::SearchRequest request = words("grape");
  request.limit = 3;
  Ids seen;
  for (int page_no = 0;; ++page_no) {
    const port::SearchPage page = must(server().search(owner(), request));
    for (std::string& id : names(page)) seen.push_back(std::move(id));
    if (!page.has_more) break;
    request.cursor = page.next_cursor;
    put_mail(format("new{}", page_no),
             {.body = "grape grape grape", .sent_at = "2026-12-01T00:00:00Z"});  // before what was shown
    erase_mail(format("m{:02}", 19 - page_no));                                  // shown already
  }
  Ids expected;
  for (int i = 19; i >= 0; --i) expected.push_back(format("inbox/messages:m{:02}", i));
  EXPECT_EQ(seen, expected);
}

TEST_P(Search, cursors_belong_to_their_search) {
  for (int i = 0; i < 6; ++i) {
    put_mail(format("m{}", i), {.body = "olive oil", .folder = "a"});
    put_chat(format("c{}", i), "olive oil");
  }
  const auto agent = [&] { return client({"inbox", "messages", {}, {}, {}, {}}); };
  const rs::Access one = agent(), other = agent();
  port::SearchRequest request = words("olive  oil -vinegar");
  request.limit = 2;
  request.streams = {"messages"};
  request.filters = {{"folder", "", "a"}};
  request.cursor = must(server().search(one, request)).next_cursor;
  EXPECT_EQ(refusal(one, request), "fine");
  request.q = " olive oil  -vinegar ";
  request.limit = 3;
  EXPECT_EQ(refusal(one, request), "fine") << "white space and page size do not matter";
  request.streams = {"messages", "messages"};
  EXPECT_EQ(refusal(one, request), "fine");

  const auto changed = [&](auto change) {
    port::SearchRequest asked = request;
    change(asked);
    return refusal(one, asked);
  };
  using Request = port::SearchRequest;
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
  port::RecordsRequest list;
  list.stream = "messages";
  list.limit = 2;
  const std::string of_list = must(server().records(one, list)).next_cursor;
  EXPECT_EQ(changed([&](Request& r) { r.cursor = of_list; }), "invalid_cursor cursor");
}

TEST_P(Search, long_fields_are_found_by_their_passages) {
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
  for (const rs::Access& who : {owner(), client({"inbox", "messages", {"id", "subject", "body"}, {}, {}, {}})}) {
    const port::SearchPage page = must(server().search(who, words("xylophone zither")));
    ASSERT_EQ(names(page), (Ids{"inbox/messages:long"}));
    const port::SearchHit& hit = page.hits[0];
    EXPECT_EQ(hit.matched_fields, (Ids{"body"}));
    ASSERT_EQ(hit.windows.size(), 2U) << "the words lie apart: a window for each";
    expect_exact(who, hit);
    std::set<std::int64_t> starts;
    for (const port::MatchWindow& window : hit.windows) {
      ASSERT_EQ(window.matches.size(), 1U);
      starts.insert(window.matches[0].start_chars);
      EXPECT_EQ(window.size_chars, utf8::count(text));
      EXPECT_FALSE(window.complete);
      EXPECT_LE(window.end_chars - window.start_chars, 240);
      EXPECT_GT(window.end_chars - window.start_chars, 150) << "with text on both sides";
    }
    EXPECT_EQ(starts, (std::set<std::int64_t>{at["xylophone"], at["zither"]}));
    EXPECT_EQ(sorted(find(who, "xylophone")), (Ids{"inbox/messages:long", "inbox/messages:short"}));
    const port::SearchPage titled = must(server().search(who, words("orchestra zither")));
    ASSERT_EQ(names(titled), (Ids{"inbox/messages:long"}));
    EXPECT_EQ(titled.hits[0].matched_fields, (Ids{"subject", "body"}));
    EXPECT_EQ(titled.hits[0].windows.size(), 2U);
    EXPECT_EQ(find(who, "orchestra -zither"), (Ids{"inbox/messages:short"}));
    expect_exact(who, titled.hits[0]);
  }
  put_mail("long", {.subject = "Orchestra", .body = "short now"});
  EXPECT_EQ(find(owner(), "zither"), Ids());
}

TEST_P(Search, changes_are_felt_at_once) {
  put_mail("m1", {.body = "before"});
  EXPECT_EQ(find(owner(), "before").size(), 1U);
  put_mail("m1", {.body = "after"});
  EXPECT_EQ(find(owner(), "before"), Ids());
  EXPECT_EQ(find(owner(), "after").size(), 1U);
  erase_mail("m1");
  EXPECT_EQ(find(owner(), "after"), Ids());
  EXPECT_EQ(must(server().search(owner(), words("after"))).count, 0);
}

TEST_P(Search, a_grant_that_no_longer_stands_adds_nothing) {
  put_mail("m1", {.body = "thyme"});
  put_chat("c1", "thyme");
  const rs::IssuedGrants issued = issue({{"inbox", "messages", {}, {}, {}, {}}, {"team", "messages", {}, {}, {}, {}}});
  ASSERT_EQ(issued.grant_ids.size(), 2U);
  const rs::Access agent = must(server().authenticate(issued.token));
  EXPECT_EQ(sorted(find(agent, "thyme")), (Ids{"inbox/messages:m1", "team/messages:c1"}));
  must(server().revoke_grant(owner(), issued.grant_ids[0]));
  const port::SearchPage left = must(server().search(agent, words("thyme")));
  EXPECT_EQ(names(left), (Ids{"team/messages:c1"})) << "an access from before the revocation, too";
  EXPECT_EQ(left.count, 1);
  EXPECT_EQ(left.recall.sources_searched, 1);
  port::SearchRequest gone = words("thyme");
  gone.scope.connection_id = "inbox";
  EXPECT_EQ(refusal(agent, gone), "grant_revoked ");
  must(server().revoke_grant(owner(), issued.grant_ids[1]));
  EXPECT_EQ(refusal(agent, words("thyme")), "grant_revoked ");
}

TEST_P(Search, an_expired_grant_is_refused) {
  put_mail("m1", {.body = "thyme"});
  rs::GrantRequest request;
  request.client_id = "agent";
  request.streams = {{"inbox", "messages", {}, {}, {}, {}}};
  request.expires_at = clock().now() + 60 * kSecond;
  const rs::Access agent = must(server().authenticate(must(server().create_grants(owner(), request)).token));
  EXPECT_EQ(find(agent, "thyme").size(), 1U);
  clock().move(61 * kSecond);
  EXPECT_EQ(refusal(agent, words("thyme")), "grant_expired ");
}

TEST_P(Search, what_has_no_searchable_field_is_named_and_never_counted) {
  put_mail("m1", {.body = "basil"});
  const rs::Access files = client({"inbox", "files", {}, {}, {}, {}});
  const port::SearchPage none = must(server().search(files, words("basil")));
  EXPECT_TRUE(none.hits.empty());
  EXPECT_FALSE(none.count);
  EXPECT_FALSE(none.recall.complete);
  EXPECT_FALSE(none.recall.truncated);
  ASSERT_EQ(none.warnings.size(), 1U);
  EXPECT_EQ(none.warnings[0].code, "source_skipped_not_applicable");
  EXPECT_EQ(none.warnings[0].detail, R"({"source":"https://sources.example/mail","connection_id":"inbox","streams":["files"]})");
  const rs::Access textless = client({"inbox", "messages", {"id", "sent_at"}, {}, {}, {}});
  EXPECT_FALSE(must(server().search(textless, words("basil"))).count);
  const rs::Access fine = client({"inbox", "messages", {}, {}, {}, {}});
  EXPECT_TRUE(must(server().search(fine, words("basil"))).warnings.empty());
}

TEST_P(Search, a_limit_over_the_most_is_clamped_with_a_warning) {
  put_mail("m1", {.body = "sage"});
  port::SearchRequest request = words("sage");
  request.streams = {"messages"};
  request.limit = 1'000;
  const port::SearchPage page = must(server().search(owner(), request));
  ASSERT_EQ(page.warnings.size(), 1U);
  EXPECT_EQ(page.warnings[0].code, "limit_clamped");
}

TEST_P(Search, fields_that_are_being_indexed_are_said_and_found_later) {
  put_mail("m1", {.body = "dill", .folder = "parsley"});
  declare_without_reindexing("2", {"subject", "body", "private", "folder"});
  port::SearchRequest request = words("parsley");
  request.streams = {"messages"};
  request.scope.connection_id = "inbox";
  const port::SearchPage during = must(server().search(owner(), request));
  EXPECT_TRUE(during.hits.empty());
  EXPECT_EQ(during.pending_scopes, 1);
  EXPECT_FALSE(during.recall.complete);
  request.q = "dill";
  EXPECT_EQ(must(server().search(owner(), request)).hits.size(), 1U) << "the others go on";
  const rs::Access agent = client({"inbox", "messages", {"id", "body"}, {}, {}, {}});
  EXPECT_EQ(must(server().search(agent, request)).pending_scopes, 0) << "the field is not the caller's";
  while (!must(server().reindex(owner(), Deadline::after(std::chrono::seconds(5))))) {
  }
  request.q = "parsley";
  const port::SearchPage after = must(server().search(owner(), request));
  ASSERT_EQ(names(after), (Ids{"inbox/messages:m1"}));
  EXPECT_EQ(after.pending_scopes, 0);
  EXPECT_TRUE(after.recall.complete);
  EXPECT_EQ(after.hits[0].matched_fields, (Ids{"folder"}));

  // And no longer searched at all.
  must(server().add_source(owner(), test_support::mail_declaration("3", {"subject"}), "mail"));
  EXPECT_EQ(find(owner(), request), Ids());
  request.q = "dill";
  EXPECT_EQ(find(owner(), request), Ids());
  EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>());
}

LADDER_FOR_EVERY_ENGINE(Search);

}  // namespace
}  // namespace ladder
