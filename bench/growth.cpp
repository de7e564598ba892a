// Measures a read in a store of a million records against the same read in a store of a thousand, and counting a
// million records by month against plain SQL over a plain table. Both stores take turns in one loop on one core, so
// that noise affects both equally.
//
//   bench_growth [sqlite|postgres] [--quick]     --quick: a hundred thousand records instead of a million
#include "growth_floor.h"
#include "growth_store.h"
#include "report.h"

#include "base/text/format.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <random>

namespace ladder::bench {
namespace {

constexpr std::int64_t kSmall = 1'000, kLarge = 1'000'000, kLargeQuick = 100'000;
constexpr double kMaxGrowth = 1.5, kMaxOverSql = 3;
constexpr int kReadsATurn = 8, kMaxTurns = 200, kFewestTurns = 5;
constexpr auto kMaxTime = std::chrono::seconds(4);  // per kind of read
constexpr std::int64_t kPage = 25;

enum class Bar : std::uint8_t { kSet, kNone };

// One kind of read. It gets a store and a number between 0 and 1 that selects the position in it.
struct Case {
  std::string what;
  std::function<void(GrowthStore&, double)> read;
  Bar bar = Bar::kSet;
};

void require(bool ok, const char* what) {
  if (!ok) give_up(std::string("a read went wrong: ") + what);
}

std::int64_t event_at(const GrowthStore& store, double where) {
  return static_cast<std::int64_t>(where * static_cast<double>(store.events() - 1));
}

api::RecordsRequest events_request() {
  api::RecordsRequest request;
  request.stream = "events";
  return request;
}

void list(GrowthStore& store, const server::Access& access, const api::RecordsRequest& request) {
  require(must(store.server().reads().records(access, request)).records.size() == kPage, "a page of 25");
}

void list_from(GrowthStore& store, const server::Access& access, double where) {
  api::RecordsRequest request = events_request();
  // Skips the first page's worth, so that every requested record exists.
  const Instant until = event_time(kPage + event_at(store, where * 0.9), store.events());
  request.filters = {{"at", "lt", format_time(until + kSecond)}};
  list(store, access, request);
}

void list_of_kind(GrowthStore& store, const server::Access& access, double where) {
  api::RecordsRequest request = events_request();
  request.filters = {{"kind", "", format("kind-{}", static_cast<int>(where * kEventKinds))}};
  list(store, access, request);
}

// Selects a twentieth of the records, spread over the whole time range.
void list_of_sizes(GrowthStore& store, double where) {
  api::RecordsRequest request = events_request();
  const auto from = static_cast<std::int64_t>(where * kEventSizes * 0.95);
  request.filters = {{"size", "gte", std::to_string(from)}, {"size", "lt", std::to_string(from + kEventSizes / 20)}};
  list(store, store.owner(), request);
}

void one_record(GrowthStore& store, double where) {
  api::RecordRequest request;
  request.record = {"log", "events", event_key(event_at(store, where))};
  require(!must(store.server().reads().record(store.owner(), request)).data.empty(), "a record");
}

// Reads from a few positions, the same in both stores, so that both keep them in memory.
constexpr std::int64_t kInUse = 100;  // records in active use

double one_of(std::int64_t places, double where) {
  return std::floor(where * static_cast<double>(places)) / static_cast<double>(places);
}

void one_window(GrowthStore& store, double where) {
  const std::int64_t n = event_at(store, where) / kLongEvery * kLongEvery;
  const api::FieldWindowRequest request{{"log", "events", event_key(n)}, "text", {}};
  require(!must(store.server().windows().read(store.owner(), request)).text.empty(), "a window");
}

void count(GrowthStore& store, const server::Access& access) {
  api::AggregateRequest request;
  request.stream = "events";
  const std::int64_t counted = must(store.server().reads().aggregate(access, request)).filtered_record_count;
  require(access.is_owner() ? counted == store.events() : counted > 0 && counted < store.events(), "a count");
}

void counted_list(GrowthStore& store, const server::Access& access) {
  api::RecordsRequest request = events_request();
  request.count = api::CountKind::kExact;
  list(store, access, request);
}

void schema(GrowthStore& store, const server::Access& access, const char* connection, std::size_t streams) {
  api::SchemaRequest request;
  request.connection_id = connection;
  std::size_t found = 0;
  for (const api::SourceView& source : must(store.server().reads().schema(access, request)).sources)
    found += source.streams.size();
  require(found == streams, "a schema");
}

std::vector<Case> cases() {
  return {
      {"list of 25, owner", [](GrowthStore& s, double) { list(s, s.owner(), events_request()); }},
      {"list of 25, granted a year", [](GrowthStore& s, double) { list(s, s.hours(), events_request()); }},
      {"list of 25, second page",
       [](GrowthStore& s, double) {
         api::RecordsRequest request = events_request();
         request.cursor = s.second_page();
         list(s, s.owner(), request);
       }},
      {"list of 25 before a time", [](GrowthStore& s, double where) { list_from(s, s.owner(), where); }},
      {"list of 25 of a kind, owner", [](GrowthStore& s, double where) { list_of_kind(s, s.owner(), where); }},
      {"list of 25 of a kind, granted a year", [](GrowthStore& s, double where) { list_of_kind(s, s.hours(), where); }},
      {"list of 25 of some sizes", list_of_sizes, Bar::kNone},
      {"one record", [](GrowthStore& s, double where) { one_record(s, one_of(kInUse, where)); }},
      {"any record", one_record, Bar::kNone},
      {"one window", [](GrowthStore& s, double where) { one_window(s, one_of(kSmall / kLongEvery, where)); }},
      {"any window", one_window, Bar::kNone},
      {"count, owner", [](GrowthStore& s, double) { count(s, s.owner()); }},
      {"count, granted whole days", [](GrowthStore& s, double) { count(s, s.days()); }},
      {"count, granted from noon to noon", [](GrowthStore& s, double) { count(s, s.hours()); }, Bar::kNone},
      {"list of 25 with count, granted a year", [](GrowthStore& s, double) { counted_list(s, s.days()); }},
      {"schema of 3 streams, owner", [](GrowthStore& s, double) { schema(s, s.owner(), "log", 3); }},
      {"schema of 3 streams, granted a year", [](GrowthStore& s, double) { schema(s, s.days(), "", 3); }},
      {"schema of 500 streams, owner", [](GrowthStore& s, double) { schema(s, s.owner(), "", kWideStreams + 4); }},
  };
}

// Repeats each read a few times in a row, so that neither store pays for cold caches left by the other.
void compare(const Case& each, GrowthStore& small, GrowthStore& large, Report& report) {
  std::mt19937_64 random(1);
  std::uniform_real_distribution<double> anywhere(0, 1);
  const auto warm = anywhere(random);
  each.read(small, warm);
  each.read(large, warm);
  Samples in_small, in_large;
  const auto began = std::chrono::steady_clock::now();
  for (int turn = 0; turn < kMaxTurns; ++turn) {
    if (turn >= kFewestTurns && std::chrono::steady_clock::now() - began > kMaxTime) break;
    for (int i = 0; i < kReadsATurn; ++i) in_small.time([&, where = anywhere(random)] { each.read(small, where); });
    for (int i = 0; i < kReadsATurn; ++i) in_large.time([&, where = anywhere(random)] { each.read(large, where); });
  }
  const std::string what = format("{} {}", large.name(), each.what);
  const double ratio = in_large.p50() / in_small.p50();
  if (each.bar == Bar::kSet) {
    report.at_most(what, in_large.text(), in_small.text(), ratio, kMaxGrowth);
  } else {
    report.note(what, in_large.text(), in_small.text(), ratio);
  }
}

// Measures how much of the growth of a record read is the engine's own.
void compare_bare_records(GrowthStore& small, GrowthStore& large, Report& report) {
  const auto in_small = record_floor(small.place()), in_large = record_floor(large.place());
  const Case bare{"one record, bare SELECT",
                  [&](GrowthStore& store, double where) {
                    RecordFloor& floor = &store == &small ? *in_small : *in_large;
                    require(floor.read(event_key(event_at(store, where))), "a bare record");
                  },
                  Bar::kNone};
  compare(bare, small, large, report);
}

class MonthBench {
 public:
  MonthBench(GrowthStore& store, MonthFloor& floor, Report& report) : store_(store), floor_(floor), report_(report) {}

  void run() {
    compare("by month", 9, {}, [&] { return floor_.months(); }, Bar::kSet);
    // No counter covers the months of one kind, so the server reads every record.
    compare("by month, of a kind", 3, {{"kind", "", "kind-3"}}, [&] { return floor_.months_of_one_kind(); }, Bar::kNone);
  }

 private:
  void compare(const char* what, int rounds, const std::vector<api::Filter>& filters, auto bare_months, Bar bar) {
    Samples ladder, bare;
    for (int round = 0; round < rounds; ++round) {
      std::vector<std::int64_t> wanted = bare.time(bare_months);
      months(filters);  // the next allocation would pay for memory that the floor has freed, for milliseconds
      std::vector<std::int64_t> got = ladder.time([&] { return months(filters); });
      std::ranges::sort(wanted);
      std::ranges::sort(got);
      if (wanted != got) give_up("Ladder and plain SQL count differently");
    }
    const std::string line = format("{} {} beside plain SQL", store_.name(), what);
    const double ratio = ladder.p50() / bare.p50();
    if (bar == Bar::kSet) {
      report_.at_most(line, ladder.text(), bare.text(), ratio, kMaxOverSql);
    } else {
      report_.note(line, ladder.text(), bare.text(), ratio);
    }
  }

  std::vector<std::int64_t> months(const std::vector<api::Filter>& filters) {
    api::AggregateRequest request;
    request.stream = "events";
    request.group_by_time = "at";
    request.granularity = api::Granularity::kMonth;
    request.limit = 100;
    request.filters = filters;
    std::vector<std::int64_t> counts;
    for (const api::Group& group : must(store_.server().reads().aggregate(store_.owner(), request)).groups)
      counts.push_back(group.count);
    return counts;
  }

  GrowthStore& store_;
  MonthFloor& floor_;
  Report& report_;
};

void measure(const std::string& engine, std::int64_t records, Report& report) {
  GrowthStore small(engine, kSmall), large(engine, records);
  progress(large.name() + ": reading");
  for (const Case& each : cases()) compare(each, small, large, report);
  compare_bare_records(small, large, report);
  progress(format("{}: writing {} plain rows", large.name(), records));
  const ScratchLocation bare_place(engine);
  const auto floor = month_floor(bare_place, records);
  MonthBench(large, *floor, report).run();
}

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {"--quick"}, given);
  const std::int64_t records = given.empty() ? kLarge : kLargeQuick;
  stay_on_one_core();
  Report report(format("{} records beside {}, p50 / p99", records, kSmall));
  for (const std::string& engine : engines) measure(engine, records, report);
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
