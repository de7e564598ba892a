// Lists, counts, windows and aggregates with conditions, compared with a plain evaluation of the same data: whichever
// index, counter or scan serves a request, the result is that of checking every record.
#include "support/library_fixture.h"

#include <algorithm>
#include <functional>
#include <set>

namespace ladder {
namespace {

using test_support::Book;
using test_support::must;
using Ids = std::vector<std::string>;

struct Condition {
  api::Filter filter;
  std::function<bool(const Book&)> holds;
};

class ByValue : public test_support::LibraryFixture {
 protected:
  static api::RecordsRequest list() {
    api::RecordsRequest request;
    request.stream = "books";
    return request;
  }
  static std::string name_of(const Book& book) { return book.connection + ":" + book.id; }

  Ids walk(const server::Access& access, api::RecordsRequest request) {
    Ids ids;
    for (int pages = 0; pages < 1'000; ++pages) {
      const api::RecordsPage page = must(server().reads().records(access, request));
      for (const api::Record& record : page.records) ids.push_back(record.ref.connection_id + ":" + record.ref.record_id);
      EXPECT_EQ(page.has_more, !page.next_cursor.empty());
      if (!page.has_more) return ids;
      request.cursor = page.next_cursor;
    }
    ADD_FAILURE() << "the list does not end";
    return ids;
  }

  // Returns the expected list of matching books.
  Ids expected(const std::function<bool(const Book&)>& passes, bool descending, bool by_key) const {
    std::vector<const Book*> found;
    for (const auto& [name, book] : books()) {
      if (passes(book)) found.push_back(&book);
    }
    const auto place = [](const Book& book) { return book.connection == "home" ? 0 : 1; };  // in the order they were added
    std::ranges::sort(found, [&](const Book* a, const Book* b) {
      if (!by_key && a->read_at.has_value() != b->read_at.has_value()) return a->read_at.has_value();
      if (!by_key && a->read_at != b->read_at) return descending ? a->read_at > b->read_at : a->read_at < b->read_at;
      if (a->id != b->id) return descending ? a->id > b->id : a->id < b->id;
      return place(*a) < place(*b);
    });
    Ids ids;
    for (const Book* book : found) ids.push_back(name_of(*book));
    return ids;
  }

  static std::vector<Condition> random_conditions(std::mt19937& random) {
    const auto one_of = [&](int n) { return static_cast<int>(random() % static_cast<unsigned>(n)); };
    std::vector<Condition> conditions;
    const int pages = one_of(400) - 20;
    const Instant time = *parse_time("2024-01-01T00:00:00Z") + one_of(900) * kDay;
    const std::string shelf = format("shelf {}", one_of(6)), text = format_time(time);
    const std::string title = format("title {}", one_of(20)) + (one_of(3) == 0 ? std::string(80, 'x') : "");
    const Condition all[] = {
        {{"shelf", "", shelf}, [=](const Book& b) { return b.shelf == shelf; }},
        {{"lent", "", "true"}, [](const Book& b) { return b.lent; }},
        {{"title", "", title}, [=](const Book& b) { return b.title == title; }},
        {{"pages", "", std::to_string(pages)}, [=](const Book& b) { return b.pages == pages; }},
        {{"pages", "gte", std::to_string(pages)}, [=](const Book& b) { return b.pages && *b.pages >= pages; }},
        {{"pages", "lt", format("{}.5", pages)},
         [=](const Book& b) { return b.pages && *b.pages <= (pages < 0 ? pages - 1 : pages); }},
        {{"read_at", "gte", text}, [=](const Book& b) { return b.read_at && *b.read_at >= time; }},
        {{"read_at", "lt", text}, [=](const Book& b) { return b.read_at && *b.read_at < time; }},
        {{"bought_at", "gte", text}, [=](const Book& b) { return b.bought_at && *b.bought_at >= time; }},
        {{"bought_at", "lt", text}, [=](const Book& b) { return b.bought_at && *b.bought_at < time; }},
    };
    const int count = one_of(4);
    for (int i = 0; i < count; ++i) conditions.push_back(all[static_cast<std::size_t>(one_of(static_cast<int>(std::size(all))))]);
    return conditions;
  }

  struct Reader {
    server::Access access;
    std::function<bool(const Book&)> sees;
    bool by_key = false;
    std::string connection;
  };
  std::vector<Reader> readers() {
    const Instant since = *parse_time("2024-06-01T12:00:00Z"), until = *parse_time("2025-06-01T00:00:00Z");
    const std::vector<std::string> all = {"id", "title", "shelf", "pages", "lent", "read_at", "bought_at"};
    const std::vector<std::string> timeless = {"id", "title", "shelf", "pages", "lent", "bought_at"};
    server::GrantSelection whole{"", "books", all, {}, {}, {}};
    server::GrantSelection timed{"", "books", all, since, until, {}};
    server::GrantSelection keyed{"", "books", timeless, since, until, {}};
    server::GrantSelection named{"home", "books", all, {}, {}, {"b0001", "b0002", "b0003", "b0005", "b0008", "b0013"}};
    const std::set<std::string> names(named.records.begin(), named.records.end());
    const auto in_time = [=](const Book& b) { return b.bought_at && *b.bought_at >= since && *b.bought_at < until; };
    return {{owner(), [](const Book&) { return true; }, false, ""},
            {owner(), [](const Book& b) { return b.connection == "cabin"; }, false, "cabin"},
            {client(whole), [](const Book&) { return true; }, false, ""},
            {client(timed), in_time, false, ""},
            {client(keyed), in_time, true, ""},
            {client(named), [=](const Book& b) { return b.connection == "home" && names.contains(b.id); }, false, ""}};
  }
};

TEST_P(ByValue, ListsAndCountsEqualAFullScan) {
  fill(400, 1);
  std::mt19937 random(2);
  const auto who = readers();
  for (int round = 0; round < 120; ++round) {
    const Reader& reader = who[static_cast<std::size_t>(round) % who.size()];
    auto conditions = random_conditions(random);
    if (reader.by_key) std::erase_if(conditions, [](const Condition& c) { return c.filter.field == "read_at"; });
    api::RecordsRequest request = list();
    request.scope.connection_id = reader.connection;
    request.descending = random() % 2 == 0;
    request.limit = 1 + static_cast<std::int64_t>(random() % 40);
    request.count = api::CountKind::kExact;
    request.window = true;
    std::string what;
    for (const Condition& condition : conditions) {
      request.filters.push_back(condition.filter);
      what += format("{}[{}]={} ", condition.filter.field, condition.filter.op, condition.filter.value);
    }
    const auto passes = [&](const Book& book) {
      return reader.sees(book) && std::ranges::all_of(conditions, [&](const Condition& c) { return c.holds(book); });
    };
    const Ids must_be = expected(passes, request.descending, reader.by_key);
    SCOPED_TRACE(format("round {} reader {} {}", round, static_cast<std::size_t>(round) % who.size(), what));
    const api::RecordsPage page = must(server().reads().records(reader.access, request));
    EXPECT_EQ(page.count.value, std::ssize(must_be));
    ASSERT_TRUE(page.window);
    EXPECT_EQ(page.window->total, std::ssize(must_be));
    std::optional<Instant> earliest, latest;
    for (const auto& [name, book] : books()) {
      if (!passes(book) || !book.bought_at) continue;
      earliest = earliest ? std::min(*earliest, *book.bought_at) : *book.bought_at;
      latest = latest ? std::max(*latest, *book.bought_at) : *book.bought_at;
    }
    EXPECT_EQ(page.window->earliest_at, earliest ? format_time(*earliest) : "");
    EXPECT_EQ(page.window->latest_at, latest ? format_time(*latest) : "");
    EXPECT_TRUE(page.warnings.empty());
    ASSERT_EQ(walk(reader.access, request), must_be);
  }
}

TEST_P(ByValue, AggregatesEqualAFullScan) {
  fill(300, 3);
  std::mt19937 random(4);
  const auto who = readers();
  for (int round = 0; round < 90; ++round) {
    const Reader& reader = who[static_cast<std::size_t>(round) % who.size()];
    auto conditions = random_conditions(random);
    if (reader.by_key) std::erase_if(conditions, [](const Condition& c) { return c.filter.field == "read_at"; });
    api::AggregateRequest request;
    request.stream = "books";
    request.scope.connection_id = reader.connection;
    for (const Condition& condition : conditions) request.filters.push_back(condition.filter);
    std::vector<const Book*> found;
    for (const auto& [name, book] : books()) {
      if (reader.sees(book) && std::ranges::all_of(conditions, [&](const Condition& c) { return c.holds(book); }))
        found.push_back(&book);
    }
    SCOPED_TRACE(format("round {} reader {}", round, static_cast<std::size_t>(round) % who.size()));

    api::AggregateRequest count = request;
    EXPECT_EQ(must(server().reads().aggregate(reader.access, count)).value_json, std::to_string(found.size()));

    api::AggregateRequest sum = request;
    sum.metric = api::Metric::kSum;
    sum.field = "pages";
    std::int64_t pages = 0;
    for (const Book* book : found) pages += book->pages.value_or(0);
    EXPECT_EQ(must(server().reads().aggregate(reader.access, sum)).value_json, std::to_string(pages));

    api::AggregateRequest least = request;
    least.metric = api::Metric::kMin;
    least.field = "pages";
    std::optional<std::int64_t> smallest;
    for (const Book* book : found) {
      if (book->pages) smallest = smallest ? std::min(*smallest, *book->pages) : *book->pages;
    }
    EXPECT_EQ(must(server().reads().aggregate(reader.access, least)).value_json, smallest ? std::to_string(*smallest) : "null");

    api::AggregateRequest distinct = request;
    distinct.metric = api::Metric::kCountDistinct;
    distinct.field = "title";
    std::set<std::string> titles;
    for (const Book* book : found) titles.insert(book->title);
    EXPECT_EQ(must(server().reads().aggregate(reader.access, distinct)).value_json, std::to_string(titles.size()));

    api::AggregateRequest grouped = request;
    grouped.group_by = "shelf";
    grouped.limit = 100;
    std::map<std::string, std::int64_t> shelves;
    for (const Book* book : found) ++shelves[book->shelf ? '"' + *book->shelf + '"' : "null"];
    std::map<std::string, std::int64_t> got;
    for (const api::Group& group : must(server().reads().aggregate(reader.access, grouped)).groups) {
      got[group.key_json.value_or("null")] = group.count;
    }
    EXPECT_EQ(got, shelves);

    api::AggregateRequest monthly = request;
    monthly.group_by_time = "bought_at";
    monthly.granularity = api::Granularity::kMonth;
    monthly.limit = 100;
    std::map<std::string, std::int64_t> months;
    for (const Book* book : found)
      ++months[book->bought_at ? '"' + format_time(*book->bought_at).substr(0, 7) + "-01\"" : "null"];
    got.clear();
    const auto by_month = must(server().reads().aggregate(reader.access, monthly));
    for (const api::Group& group : by_month.groups) got[group.key_json.value_or("null")] = group.count;
    EXPECT_EQ(got, months);
    EXPECT_EQ(by_month.filtered_record_count, std::ssize(found));
    EXPECT_EQ(by_month.other_count, 0);
  }
}

// Counts days and hours of a time zone and compares them with one-by-one counts: a condition on another field makes the
// server read the records.
TEST_P(ByValue, CountersEqualAFullScanInEveryZone) {
  fill(400, 5);
  const server::Access access = owner();
  for (const std::string zone : {"", "Europe/Berlin", "America/Havana", "Asia/Kathmandu", "Australia/Lord_Howe"}) {
    for (const auto granularity : {api::Granularity::kHour, api::Granularity::kDay, api::Granularity::kWeek,
                                   api::Granularity::kMonth, api::Granularity::kQuarter, api::Granularity::kYear}) {
      for (const std::string field : {"bought_at", "read_at"}) {
        std::map<std::string, std::int64_t> counted, looked_at;
        for (const bool look : {false, true}) {
          for (const bool lent : {false, true}) {
            if (!look && lent) continue;
            api::AggregateRequest request;
            request.stream = "books";
            request.group_by_time = field;
            request.granularity = granularity;
            request.time_zone = zone;
            request.limit = 100;
            if (look) request.filters = {{"lent", "", lent ? "true" : "false"}};
            const auto result = must(server().reads().aggregate(access, request));
            std::int64_t sum = result.other_count;
            for (const api::Group& group : result.groups) {
              (look ? looked_at : counted)[group.key_json.value_or("null")] += group.count;
              sum += group.count;
            }
            EXPECT_EQ(sum, result.filtered_record_count);
          }
        }
        if (counted.size() >= 100) continue;  // the rest is in other_count
        EXPECT_EQ(counted, looked_at) << zone << " " << field;
      }
    }
  }
}

TEST_P(ByValue, IndexesFollowAChangedDeclaration) {
  fill(300, 6);
  const auto pages_over_100 = [&] {
    api::RecordsRequest request = list();
    request.filters = {{"pages", "gte", "100"}};
    return server().reads().records(owner(), request);
  };
  EXPECT_TRUE(pages_over_100());
  must(server().sources().add(owner(), test_support::library_declaration("2", false), "library"));
  EXPECT_EQ(pages_over_100().error().code, Code::kInvalidRequest) << "no longer declared";
  std::mt19937 random(7);
  for (int i = 0; i < 40; ++i) put_book(random_book(random, i));
  EXPECT_TRUE(must(server().sources().add(owner(), test_support::library_declaration("3"), "library")).indexed);
  api::RecordsRequest request = list();
  request.filters = {{"pages", "gte", "100"}};
  request.count = api::CountKind::kExact;
  const Ids must_be = expected([](const Book& b) { return b.pages && *b.pages >= 100; }, true, false);
  EXPECT_EQ(walk(owner(), request), must_be);
  EXPECT_EQ(must(server().reads().records(owner(), request)).count.value, std::ssize(must_be));
  EXPECT_EQ(must(store().check_invariants()), std::vector<std::string>());
}

TEST_P(ByValue, UndeclaredAndUngrantedFieldsAreRefusedByName) {
  fill(5, 8);
  const server::Access agent = client({"", "books", {"id", "title", "shelf"}, {}, {}, {}});
  const auto code_of = [&](const server::Access& access, auto change) {
    api::AggregateRequest request;
    request.stream = "books";
    change(request);
    const auto result = server().reads().aggregate(access, request);
    return result ? std::string("fine") : std::string(result.error().wire()) + " " + result.error().param;
  };
  using Request = api::AggregateRequest;
  EXPECT_EQ(code_of(agent,
                    [](Request& r) {
                      r.metric = api::Metric::kSum;
                      r.field = "pages";
                    }),
            "field_not_granted field");
  EXPECT_EQ(code_of(owner(),
                    [](Request& r) {
                      r.metric = api::Metric::kSum;
                      r.field = "title";
                    }),
            "invalid_request field");
  EXPECT_EQ(code_of(owner(),
                    [](Request& r) {
                      r.metric = api::Metric::kSum;
                      r.field = "nothing";
                    }),
            "unknown_field field");
  EXPECT_EQ(code_of(owner(), [](Request& r) { r.metric = api::Metric::kSum; }), "invalid_request field");
  EXPECT_EQ(code_of(owner(), [](Request& r) { r.field = "pages"; }), "invalid_request field");
  EXPECT_EQ(code_of(owner(), [](Request& r) { r.group_by = "title"; }), "invalid_request group_by");
  EXPECT_EQ(code_of(owner(), [](Request& r) { r.group_by_time = "read_at"; }), "invalid_request granularity");
  EXPECT_EQ(code_of(owner(), [](Request& r) { r.limit = 5; }), "invalid_request limit");
  EXPECT_EQ(code_of(owner(),
                    [](Request& r) {
                      r.group_by = "shelf";
                      r.limit = 101;
                    }),
            "invalid_request limit");
  EXPECT_EQ(code_of(owner(),
                    [](Request& r) {
                      r.group_by_time = "read_at";
                      r.granularity = api::Granularity::kDay;
                      r.time_zone = "Mars/Olympus";
                    }),
            "invalid_request time_zone");
  EXPECT_EQ(code_of(agent, [](Request& r) { r.group_by = "shelf"; }), "fine");
}

LADDER_FOR_EVERY_ENGINE(ByValue);

}  // namespace
}  // namespace ladder
