// Aggregates over HTTP (PDPP "aggregates").
#include "rest_fixture.h"

namespace ladder::wire {
namespace {

const std::string kAggregate = "/v1/streams/books/aggregate?metric=";

class Aggregates : public Rest {
 protected:
  Aggregates() {
    add_library();
    std::string lines;
    for (int i = 1; i <= 12; ++i) {
      lines += line(format("b{}", i),
                    format(R"({{"id":"b{0}","shelf":"{1}","pages":{0},"secret":"s","bought_at":"2026-0{2}-15T23:30:00Z"}})", i,
                           i % 3 == 0 ? "left" : "right", 1 + i % 3));
    }
    lines += line("b13", R"({"id":"b13","shelf":null,"pages":100})");
    put_lines("books", lines);
    reader = token_for({"shelf", "books", {"id", "shelf", "pages", "bought_at"}, {}, {}, {}});
  }
  std::string groups(const std::string& query) {
    const Answer answer = get(kAggregate + query, reader);
    EXPECT_EQ(answer.status, 200) << answer.text;
    return answer.has("/groups") ? boost::json::serialize(answer.at("/groups")) : "";
  }
  std::string reader;
};

TEST_P(Aggregates, GiveSingleValues) {
  const Answer count = get(kAggregate + "count", reader);
  EXPECT_EQ(count.string("/object"), "aggregation");
  EXPECT_EQ(count.string("/stream"), "books");
  EXPECT_EQ(count.string("/metric"), "count");
  EXPECT_TRUE(count.at("/field").is_null());
  EXPECT_TRUE(count.at("/group_by").is_null());
  EXPECT_TRUE(count.at("/granularity").is_null());
  EXPECT_FALSE(count.at("/approximate").as_bool());
  EXPECT_EQ(count.number("/value"), 13);
  EXPECT_EQ(count.number("/filtered_record_count"), 13);
  EXPECT_FALSE(count.has("/groups"));
  EXPECT_EQ(count.string("/links/self"), kAggregate + "count");
  EXPECT_EQ(get(kAggregate + "sum&field=pages", reader).number("/value"), 178);
  EXPECT_EQ(get(kAggregate + "min&field=pages", reader).number("/value"), 1);
  EXPECT_EQ(get(kAggregate + "max&field=pages&filter[shelf]=left", reader).number("/value"), 12);
  EXPECT_EQ(get(kAggregate + "max&field=bought_at", reader).string("/value"), "2026-03-15T23:30:00Z") << "as it came";
  EXPECT_EQ(get(kAggregate + "count_distinct&field=shelf", reader).number("/value"), 2);
  EXPECT_EQ(get(kAggregate + "count&filter[pages][gte]=11", reader).number("/value"), 3);
}

TEST_P(Aggregates, CountGroups) {
  EXPECT_EQ(groups("count&group_by=shelf"), R"([{"key":"right","count":8},{"key":"left","count":4},{"key":null,"count":1}])");
  const Answer cut = get(kAggregate + "count&group_by=shelf&limit=1", reader);
  EXPECT_EQ(cut.number("/limit"), 1);
  EXPECT_EQ(cut.at("/groups").as_array().size(), 1U);
  EXPECT_EQ(cut.number("/other_count"), 5);
  const Answer months = get(kAggregate + "count&group_by_time=bought_at&granularity=month", reader);
  EXPECT_EQ(months.string("/time_zone"), "UTC");
  EXPECT_EQ(months.string("/granularity"), "month");
  EXPECT_EQ(
      boost::json::serialize(months.at("/groups")),
      R"([{"key":"2026-01-01","count":4},{"key":"2026-02-01","count":4},{"key":"2026-03-01","count":4},{"key":null,"count":1}])");
  EXPECT_EQ(groups("count&group_by_time=bought_at&granularity=day&time_zone=Europe/Berlin&filter[shelf]=left"),
            R"([{"key":"2026-01-16","count":4}])")
      << "half past midnight there";
  EXPECT_EQ(groups("count&group_by_time=bought_at&granularity=hour&filter[shelf]=left"),
            R"([{"key":"2026-01-15T23:00","count":4}])");
  EXPECT_EQ(groups("count&group_by_time=bought_at&granularity=quarter&filter[pages][lt]=100"),
            R"([{"key":"2026-01-01","count":12}])");
}

TEST_P(Aggregates, RefuseBadRequests) {
  expect_error(get("/v1/streams/books/aggregate", reader), 400, "invalid_request", "metric");
  for (const char* bad : {"median", "sum", "count&field=pages", "sum&field=pages&group_by=shelf", "count&group_by=shelf&limit=0",
                          "count&group_by=shelf&limit=101", "count&limit=5", "count&group_by_time=bought_at",
                          "count&granularity=month", "count&group_by_time=bought_at&granularity=decade", "count&time_zone=UTC",
                          "count&group_by=shelf&group_by_time=bought_at&granularity=day", "sum&field=shelf",
                          "count&group_by=pages", "count&group_by_time=bought_at&granularity=day&time_zone=Mars/Olympus",
                          "count&nonsense=1", "count&group_by=shelf&limit=ten"}) {
    SCOPED_TRACE(bad);
    expect_error(get(kAggregate + bad, reader), 400, "invalid_request");
  }
  expect_error(get(kAggregate + "sum&field=nosuch", reader), 400, "unknown_field", "field");
  expect_error(get(kAggregate + "count&filter[secret]=s", reader), 403, "field_not_granted");
  const std::string narrow = token_for({"shelf", "books", {"id"}, {}, {}, {}});
  expect_error(get(kAggregate + "sum&field=pages", narrow), 403, "field_not_granted");
  expect_error(get(kAggregate + "count&group_by=shelf", narrow), 403, "field_not_granted");
  expect_error(get("/v1/streams/nosuch/aggregate?metric=count", reader), 403, "grant_stream_not_allowed");
  expect_error(get("/v1/streams/chapters/aggregate?metric=count", owner_token()), 400, "invalid_request");
}

LADDER_FOR_EVERY_ENGINE(Aggregates);

}  // namespace
}  // namespace ladder::wire
