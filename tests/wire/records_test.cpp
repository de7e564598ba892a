// Lists of records over HTTP: pages, orders, projections, filters, counts, expansions and their limits (PDPP "record
// lists").
#include "rest_fixture.h"

#include <algorithm>
#include <set>

namespace ladder::wire {
namespace {

using Ids = std::vector<std::string>;

const std::string kBooks = "/v1/streams/books/records";

class Records : public Rest {
 protected:
  Records() {
    add_library();
    std::string lines;
    for (int i = 1; i <= 12; ++i) {
      lines +=
          line(format("b{:02}", i), format(R"({{"id":"b{0:02}","title":"Book {0}","shelf":"{1}","pages":{2},"secret":"s{0}",)"
                                           R"("bought_at":"2026-{0:02}-10T00:00:00Z"{3}}})",
                                           i, i % 2 == 0 ? "even" : "odd", i * 100, i == 1 ? R"(,"short_id":"s1")" : ""));
    }
    put_lines("books", lines);
    std::string chapters;
    for (int i = 1; i <= 6; ++i)
      chapters += line(format("c{}", i), format(R"({{"id":"c{0}","book_id":"b01","no":{0},"text":"Chapter {0}"}})", i));
    put_lines("chapters", chapters);
    put_lines("summaries", line("s1", R"({"id":"s1","text":"Short."})"));
    reader = issue({{"shelf", "books", {"id", "title", "shelf", "pages", "bought_at", "short_id"}, {}, {}, {}},
                    {"shelf", "chapters", {}, {}, {}, {}},
                    {"shelf", "summaries", {}, {}, {}, {}}})
                 .token;
  }
  std::string reader;
};

TEST_P(Records, TheEnvelopeIsComplete) {
  const Answer page = get(kBooks + "?limit=2", reader);
  EXPECT_EQ(page.status, 200);
  EXPECT_EQ(page.header("Content-Type"), "application/json; charset=utf-8");
  EXPECT_EQ(page.header("PDPP-Version"), "2026-04-06");
  EXPECT_EQ(page.string("/object"), "list");
  EXPECT_EQ(page.string("/url"), kBooks);
  EXPECT_TRUE(page.at("/has_more").as_bool());
  EXPECT_EQ(page.string("/links/self"), kBooks + "?limit=2");
  EXPECT_EQ(page.string("/links/next"), kBooks + "?limit=2&cursor=" + page.string("/next_cursor"));
  EXPECT_EQ(page.string("/meta/count/kind"), "none");
  EXPECT_TRUE(page.at("/meta/warnings").as_array().empty());
  EXPECT_FALSE(page.has("/meta/window"));
  EXPECT_FALSE(page.has("/next_changes_since"));
  EXPECT_EQ(page.ids(), (Ids{"b12", "b11"})) << "newest first";
  EXPECT_EQ(page.string("/data/0/object"), "record");
  EXPECT_EQ(page.string("/data/0/stream"), "books");
  EXPECT_EQ(page.string("/data/0/connection_id"), "shelf");
  EXPECT_EQ(page.string("/data/0/connector_instance_id"), "shelf");
  EXPECT_EQ(page.string("/data/0/display_name"), "The shelf");
  EXPECT_FALSE(page.has("/data/0/data/secret"));
  EXPECT_FALSE(page.has("/data/0/expanded"));
  EXPECT_FALSE(page.has("/data/0/record_json_bytes"));
}

TEST_P(Records, PagesReachTheEndInBothOrders) {
  Ids expected;
  for (int i = 1; i <= 12; ++i) expected.push_back(format("b{:02}", i));
  EXPECT_EQ(walk(kBooks + "?limit=5&order=asc", reader), expected);
  EXPECT_EQ(walk(kBooks + "?limit=1&sort=bought_at", reader), expected);
  std::ranges::reverse(expected);
  EXPECT_EQ(walk(kBooks + "?limit=5", reader), expected);
  EXPECT_EQ(walk(kBooks + "?limit=4&sort=-bought_at&order=desc", reader), expected);
  EXPECT_EQ(walk(kBooks + "?limit=5&max_bytes=1", reader), expected) << "a page holds one record at least";
}

TEST_P(Records, LimitsClampOrDefault) {
  const Answer clamped = get(kBooks + "?limit=1000", reader);
  EXPECT_EQ(clamped.warnings(), (Ids{"limit_clamped"}));
  EXPECT_EQ(clamped.number("/meta/warnings/0/detail/max_limit"), 100);
  EXPECT_EQ(clamped.number("/meta/warnings/0/detail/requested_limit"), 1000);
  EXPECT_EQ(clamped.string("/meta/warnings/0/param"), "limit");
  for (const char* odd : {"?limit=0", "?limit=-3", "?limit=ten", "?limit=", ""}) {
    EXPECT_EQ(get(kBooks + odd, reader).ids().size(), 12U) << odd;
  }
  EXPECT_EQ(get(kBooks + "?connector_instance_id=shelf", reader).warnings(), (Ids{"deprecated_alias_used"}));
}

TEST_P(Records, ProjectionsAreExact) {
  for (const char* asked : {"?limit=1&fields=title,id", "?limit=1&fields=title&fields=id", "?limit=1&fields[]=title&fields[]=id",
                            "?limit=1&view=titles"}) {
    const Answer page = get(kBooks + asked, reader);
    EXPECT_EQ(page.at("/data/0/data").as_object().size(), 2U) << asked << page.text;
    EXPECT_EQ(page.string("/data/0/data/title"), "Book 12");
  }
  expect_error(get(kBooks + "?fields=secret", reader), 403, "field_not_granted");
  expect_error(get(kBooks + "?view=all", reader), 403, "field_not_granted");
  expect_error(get(kBooks + "?view=none", reader), 400, "invalid_request");
  expect_error(get(kBooks + "?view=titles&fields=id", reader), 400, "invalid_request");
  expect_error(get(kBooks + "?fields=nosuch", reader), 400, "unknown_field");
  expect_error(get(kBooks + "?fields=", reader), 400, "invalid_request", "fields");
}

TEST_P(Records, FiltersNarrowLists) {
  EXPECT_EQ(get(kBooks + "?filter[shelf]=odd&order=asc", reader).ids(), (Ids{"b01", "b03", "b05", "b07", "b09", "b11"}));
  EXPECT_EQ(get(kBooks + "?filter[pages][gte]=1000&order=asc", reader).ids(), (Ids{"b10", "b11", "b12"}));
  EXPECT_EQ(get(kBooks + "?filter[pages][gt]=1000&filter[shelf]=even", reader).ids(), (Ids{"b12"}));
  EXPECT_EQ(get(kBooks + "?filter[bought_at][gte]=2026-02-01&filter[bought_at][lt]=2026-04-01&order=asc", reader).ids(),
            (Ids{"b02", "b03"}));
  EXPECT_EQ(get(kBooks + "?filter[pages]=300", reader).ids(), (Ids{"b03"}));
  EXPECT_EQ(walk(kBooks + "?filter[shelf]=even&limit=2&order=asc", reader), (Ids{"b02", "b04", "b06", "b08", "b10", "b12"}));
  expect_error(get(kBooks + "?filter[secret]=s1", reader), 403, "field_not_granted");
  expect_error(get(kBooks + "?filter[nosuch]=1", reader), 400, "unknown_field");
  expect_error(get(kBooks + "?filter[bought_at][gt]=2026-01-01", reader), 400, "invalid_request");
  expect_error(get(kBooks + "?filter[pages][gte]=many", reader), 400, "invalid_request");
  expect_error(get(kBooks + "?filter[title][gte]=A", reader), 400, "invalid_request");
  expect_error(get(kBooks + "?filter=shelf", reader), 400, "invalid_request", "filter");
  expect_error(get(kBooks + "?filter[pages][gte][x]=1", reader), 400, "invalid_request", "filter[pages][gte][x]");
  EXPECT_EQ(get(kBooks + "?filter[secret]=s1&connection_id=shelf", owner_token()).ids(), (Ids{"b01"}));
}

TEST_P(Records, CountsAndWindowsCoverTheMatches) {
  const Answer counted = get(kBooks + "?limit=1&count=exact&window=exact&filter[shelf]=odd", reader);
  EXPECT_EQ(counted.string("/meta/count/kind"), "exact");
  EXPECT_EQ(counted.number("/meta/count/value"), 6);
  EXPECT_EQ(counted.number("/meta/window/total"), 6);
  EXPECT_EQ(counted.string("/meta/window/earliest_at").substr(0, 10), "2026-01-10");
  EXPECT_EQ(counted.string("/meta/window/latest_at").substr(0, 10), "2026-11-10");
  EXPECT_EQ(get(kBooks + "?count=estimated", reader).number("/meta/count/value"), 12);
  EXPECT_FALSE(get(kBooks + "?count=none&window=none", reader).has("/meta/count/value"));
  const std::string narrow = token_for({"shelf", "books", {"id"}, parse_time("2026-03-01T00:00:00Z"), {}, {}});
  const Answer blind = get(kBooks + "?count=exact&window=exact", narrow);
  EXPECT_EQ(blind.number("/meta/count/value"), 10);
  EXPECT_FALSE(blind.has("/meta/window/latest_at")) << "the time is outside the grant";
  expect_error(get(kBooks + "?count=some", reader), 400, "invalid_request", "count");
  expect_error(get(kBooks + "?window=wide", reader), 400, "invalid_request", "window");
}

TEST_P(Records, ExpansionsShowRelatedRecords) {
  const Answer page = get(kBooks + "?order=asc&limit=2&expand=chapters&expand=summary", reader);
  EXPECT_EQ(page.string("/data/0/expanded/chapters/object"), "list");
  EXPECT_TRUE(page.at("/data/0/expanded/chapters/has_more").as_bool());
  EXPECT_EQ(page.at("/data/0/expanded/chapters/data").as_array().size(), 2U) << "the declared default";
  EXPECT_EQ(page.string("/data/0/expanded/chapters/data/0/id"), "c1");
  EXPECT_EQ(page.string("/data/0/expanded/chapters/data/1/data/text"), "Chapter 2");
  EXPECT_EQ(page.string("/data/0/expanded/summary/id"), "s1");
  EXPECT_TRUE(page.at("/data/1/expanded/chapters/data").as_array().empty());
  EXPECT_FALSE(page.at("/data/1/expanded/chapters/has_more").as_bool());
  EXPECT_TRUE(page.at("/data/1/expanded/summary").is_null());

  const Answer one = get(kBooks + "/b01?expand[]=chapters&expand_limit[chapters]=4&fields=id", reader);
  EXPECT_EQ(one.at("/expanded/chapters/data").as_array().size(), 4U);
  EXPECT_EQ(one.string("/connector_key"), "library");
  EXPECT_EQ(one.number("/record_json_bytes"), 12) << "of the projection";
  EXPECT_EQ(one.string("/meta/count/kind"), "none");

  const std::string wide = kBooks + "?expand=chapters&expand_limit[chapters]=";
  expect_error(get(wide + "5", reader), 400, "invalid_expand", "expand_limit");
  expect_error(get(wide + "0", reader), 400, "invalid_expand", "expand_limit");
  expect_error(get(wide + "some", reader), 400, "invalid_expand");
  expect_error(get(kBooks + "?expand=summary&expand_limit[summary]=1", reader), 400, "invalid_expand");
  expect_error(get(kBooks + "?expand_limit[chapters]=1", reader), 400, "invalid_expand");
  expect_error(get(kBooks + "?expand=nosuch", reader), 400, "invalid_expand", "expand");
  expect_error(get(kBooks + "?expand=chapters.book", reader), 400, "invalid_expand");
  expect_error(get(kBooks + "/b01?expand=nosuch", reader), 400, "invalid_expand");
  const std::string alone = token_for({"shelf", "books", {}, {}, {}, {}});
  expect_error(get(kBooks + "?expand=chapters", alone), 403, "insufficient_scope", "expand");
  expect_error(get(kBooks + "/b01?expand=summary", alone), 403, "insufficient_scope");
}

TEST_P(Records, CursorsAreBoundToTheirRequest) {
  const std::string cursor = get(kBooks + "?limit=2", reader).string("/next_cursor");
  EXPECT_EQ(get(kBooks + "?limit=3&cursor=" + cursor, reader).ids(), (Ids{"b10", "b09", "b08"})) << "the limit may change";
  for (const std::string& bad : {std::string("nonsense"), cursor.substr(1), cursor.substr(0, cursor.size() - 4) + "AAAA"}) {
    expect_error(get(kBooks + "?cursor=" + bad, reader), 400, "invalid_cursor", "cursor");
  }
  const std::string other = token_for({"shelf", "books", {}, {}, {}, {}});
  EXPECT_EQ(get(kBooks + "?order=asc&cursor=" + cursor, reader).status, 400);
  EXPECT_EQ(get(kBooks + "?filter[shelf]=odd&cursor=" + cursor, reader).status, 400);
  EXPECT_EQ(get(kBooks + "?cursor=" + cursor, other).status, 400);
  EXPECT_EQ(get("/v1/streams/chapters/records?cursor=" + cursor, reader).status, 400);
}

TEST_P(Records, SeveralConnectionsFormOneList) {
  must(server().sources().add_connection(owner(), "library", "", "attic"));
  put_lines("books",
            line("a1", R"({"id":"a1","title":"Old","bought_at":"2026-05-20T00:00:00Z"})") +
                line("b01", R"({"id":"b01","title":"Twin","bought_at":"2026-01-09T00:00:00Z"})"),
            "attic");
  const std::string both = token_for({"", "books", {}, {}, {}, {}});
  const Ids all = walk(kBooks + "?limit=3&order=asc", both);
  EXPECT_EQ(all.size(), 14U);
  EXPECT_EQ(all.at(0), "b01");
  EXPECT_EQ(all.at(1), "b01");
  EXPECT_EQ(all.at(6), "a1") << "merged by time";
  EXPECT_EQ(get(kBooks + "?connection_id=attic&count=exact", both).number("/meta/count/value"), 2);
  const Answer ambiguous = get(kBooks + "/b01", both);
  expect_error(ambiguous, 409, "ambiguous_connection");
  EXPECT_EQ(ambiguous.at("/error/available_connections").as_array().size(), 2U);
  EXPECT_EQ(ambiguous.string("/error/retry_with"), "connection_id");
  EXPECT_EQ(get(kBooks + "/b01?connection_id=attic", both).string("/data/title"), "Twin");
  expect_error(get(kBooks + "?connection_id=cellar", both), 404, "connection_not_found", "connection_id");
  expect_error(get(kBooks + "?connection_id=attic", reader), 404, "connection_not_found");
}

TEST_P(Records, ASourceIsNamedByItsKey) {
  must(server().sources().add(owner(), test_support::notes_declaration("https://other.example/notes"), "others"));
  must(server().sources().add_connection(owner(), "others", "", "elsewhere"));
  put("n1", text_member("body", "here"));
  put("n1", text_member("body", "there"), "elsewhere");
  const std::string notes = "/v1/streams/notes/records";
  expect_error(get(notes, owner_token()), 409, "ambiguous_connection");
  EXPECT_EQ(get(notes + "?connector_id=others", owner_token()).string("/data/0/data/body"), "there");
  EXPECT_EQ(get(notes + "/n1?connector_id=notes", owner_token()).string("/data/body"), "here");
  EXPECT_EQ(get(notes + "/n1/field-window?field=body&connector_id=others", owner_token()).string("/window/text"), "there");
  expect_error(get(notes + "?connector_id=library", owner_token()), 404, "not_found", "connector_id");
  const std::string client = token_for({"work", "notes", {}, {}, {}, {}});
  EXPECT_EQ(get(notes + "?connector_id=notes", client).ids().size(), 1U);
  for (const char* other : {"others", "none"}) {  // ungranted and missing look alike
    expect_error(get(notes + "?connector_id=" + other, client), 404, "not_found", "connector_id");
  }
  expect_error(get("/v1/streams/books/records?connector_id=library", client), 403, "grant_stream_not_allowed");
}

LADDER_FOR_EVERY_ENGINE(Records);

}  // namespace
}  // namespace ladder::wire
