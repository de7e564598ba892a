// Budgets over both engines: every text and every byte counts once, and one budget applies to all processes.
#include "server/ledger/ledger.h"
#include "store/ledger_store.h"
#include "support/child_process.h"
#include "support/server_fixture.h"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <thread>

namespace ladder {
namespace {

using server::LedgerEntry;
using test_support::at_offset;
using test_support::must;
using test_support::record_line;
using test_support::text_member;

constexpr std::string_view kMail =
    R"({"protocol_version":"0.1.0","source":{"kind":"connector","id":"https://sources.example/mail"},
    "declaration_version":"1","publisher":{"id":"https://sources.example/"},"display":{"name":"Mail"},
    "streams":[{"name":"messages","semantics":"mutable_state","primary_key":["id"],"cursor_field":"sent_at",
      "consent_time_field":"sent_at","selection":{"fields":true,"resources":true},
      "schema":{"type":"object","required":["id"],"properties":{"id":{"type":"string"},"from_address":{"type":"string"},
        "title":{"type":"string"},"words":{"type":"integer"},"sent_at":{"type":"string","format":"date-time"},
        "blob_ref":{"type":"object","required":["blob_id"],"properties":{"blob_id":{"type":"string"},
          "mime_type":{"type":"string"},"sha256":{"type":"string"},"size_bytes":{"type":"integer"}}}}},
      "query":{"aggregations":{"count":true,"group_by":["from_address","title"],"group_by_time":["sent_at"],
        "min":["words","sent_at"],"max":["words","sent_at"],"sum":["words"],"count_distinct":["title"]}}}]})";

class BudgetSuite : public test_support::ServerFixture {
 protected:
  // Messages m0 to m29: twelve from "ann@example", nine from "böb@example", and nine from one address each.
  BudgetSuite() {
    must(server().sources().add(owner(), std::string(kMail), "mail"));
    must(server().sources().add_connection(owner(), "mail", "", "post"));
    std::string lines;
    for (int i = 0; i < 30; ++i) {
      const std::string from = i < 12 ? "ann@example" : i < 21 ? "böb@example" : format("c{}@example", i);
      lines += record_line(format("m{}", i),
                           format(R"("from_address":"{}","title":"title {}","words":{},"sent_at":"2026-{}T08:00:00Z")", from, i,
                                  1'000 + i, i < 15 ? "03-01" : format("04-{:02}", i - 10)));
    }
    ingest(lines, "post", "messages");
  }

  struct Reader {
    server::Access access;
    std::string grant_id, token;
  };
  Reader reader(std::optional<std::int64_t> chars, std::optional<std::int64_t> bytes = {}, std::vector<std::string> fields = {}) {
    const auto issued = issue({{"post", "messages", std::move(fields), {}, {}, {}}});
    if (chars) must(server().ledger().set_budget(owner(), issued.grant_ids.front(), chars, bytes));
    return {must(server().accesses().authenticate(issued.token)), issued.grant_ids.front(), issued.token};
  }
  static api::AggregateRequest grouped(std::string field, std::vector<api::Filter> filters = {}) {
    api::AggregateRequest request;
    request.stream = "messages";
    request.group_by = std::move(field);
    request.filters = std::move(filters);
    request.limit = 100;
    return request;
  }
  static api::AggregateRequest of_field(api::Metric metric, std::string field, std::vector<api::Filter> filters = {}) {
    api::AggregateRequest request;
    request.stream = "messages";
    request.metric = metric;
    request.field = std::move(field);
    request.filters = std::move(filters);
    return request;
  }
  // Returns the characters of a field, by record, that the client has seen.
  std::map<std::string, std::int64_t> seen(const std::string& field) {
    std::map<std::string, std::int64_t> chars;
    for (const auto& record : must(server().ledger().seen(owner(), {}))) {
      for (const auto& shown : record.shown.fields) {
        if (shown.path == field) chars[record.shown.record.record_id] += length_of(shown.ranges);
      }
    }
    return chars;
  }
  server::ReadAmount used() {
    server::ReadAmount sum;
    for (const auto& use : must(server().ledger().uses(owner(), 0, 100'000)))
      sum = sum + server::ReadAmount{use.chars, use.bytes};
    return sum;
  }
  std::string put_blob(std::string_view type, std::string_view bytes, std::string_view record) {
    test_support::TextSource source(bytes);
    const std::string id = must(server().ingest().put_blob(owner(), type, source)).blob_id;
    ingest(record_line(record, format(R"("blob_ref":{{"blob_id":"{}"}})", id)), "post", "messages");
    return id;
  }
  server::LedgerOptions journal_beside() { return {place().folder() / "journals", false}; }
};
LADDER_FOR_EVERY_ENGINE(BudgetSuite);

template <class T>
void expect_over_budget(const Result<T>& answer) {
  ASSERT_FALSE(answer);
  EXPECT_EQ(answer.error().code, Code::kRateLimited) << answer.error().message;
  ASSERT_TRUE(answer.error().more);
  EXPECT_EQ(answer.error().more->rule, server::Ledger::kBudgetRule);
}

TEST_P(BudgetSuite, GroupKeysCountAndAreAttributedWhereFewRecordsHaveThem) {
  const Reader agent = reader(10);
  expect_over_budget(server().reads().aggregate(agent.access, grouped("from_address")));
  EXPECT_EQ(used(), (server::ReadAmount{0, 0}));
  must(server().ledger().set_budget(owner(), agent.grant_id, 121));
  ASSERT_EQ(must(server().reads().aggregate(agent.access, grouped("from_address"))).groups.size(), 11U);
  EXPECT_EQ(used(), (server::ReadAmount{11 * 11, 0})) << "each key has eleven characters, and is shown once";
  const auto by_record = seen("from_address");
  EXPECT_EQ(by_record.size(), 18U) << "the twelve records of the largest group are not named";
  for (const auto& [record, chars] : by_record) EXPECT_EQ(chars, 11) << record;
  EXPECT_FALSE(by_record.contains("m0"));
  const auto entries = must(server().ledger().page(owner(), {})).entries;
  ASSERT_EQ(entries.size(), 1U);
  EXPECT_EQ(entries.front().chars(), 121);
  EXPECT_EQ(must(server().ledger().check(owner())), std::vector<std::string>());
  expect_over_budget(server().reads().aggregate(agent.access, grouped("from_address")));
}

TEST_P(BudgetSuite, ARecordReadThroughAGroupCountsAsSeen) {
  const Reader agent = reader(100);
  must(server().reads().aggregate(agent.access, grouped("title", {{"id", "", "m7"}})));
  EXPECT_EQ(seen("title"), (std::map<std::string, std::int64_t>{{"m7", 7}}));
  EXPECT_EQ(used(), (server::ReadAmount{7, 0}));
}

TEST_P(BudgetSuite, MinimaMaximaAndSumsCountAsDisclosed) {
  const Reader agent = reader(13);
  must(server().reads().aggregate(agent.access, of_field(api::Metric::kMin, "words")));
  must(server().reads().aggregate(agent.access, of_field(api::Metric::kMax, "words")));
  EXPECT_EQ(seen("words"), (std::map<std::string, std::int64_t>{{"m0", 4}, {"m29", 4}}));
  must(server().reads().aggregate(agent.access, of_field(api::Metric::kSum, "words", {{"id", "", "m9"}})));
  EXPECT_EQ(seen("words").at("m9"), 4) << "a sum over one record is its value";
  EXPECT_EQ(used(), (server::ReadAmount{12, 0}));
  expect_over_budget(server().reads().aggregate(agent.access, of_field(api::Metric::kMin, "words")));
  EXPECT_EQ(must(server().reads().aggregate(agent.access, of_field(api::Metric::kCountDistinct, "title"))).value_json, "30")
      << "a count shows no text";
}

TEST_P(BudgetSuite, TimeBucketsOfFewRecordsAreAttributed) {
  const Reader agent = reader(10'000);
  for (const api::Granularity granularity : {api::Granularity::kDay, api::Granularity::kMinute}) {
    api::AggregateRequest request;
    request.stream = "messages";
    request.group_by_time = "sent_at";
    request.granularity = granularity;
    request.limit = 100;
    const std::int64_t before = used().chars;
    ASSERT_EQ(must(server().reads().aggregate(agent.access, request)).groups.size(), 16U);
    const std::int64_t key_chars = granularity == api::Granularity::kDay ? 10 : 16;
    EXPECT_EQ(used().chars - before, 16 * key_chars);
    const auto by_record = seen("sent_at");
    EXPECT_EQ(by_record.size(), 15U) << "the fifteen of one day are not named";
    for (const auto& [record, chars] : by_record) EXPECT_EQ(chars, key_chars) << record;
  }
}

TEST_P(BudgetSuite, GroupsThatTheReaderDropsAreNotRecorded) {
  const Reader agent = reader(22);
  api::AggregateRequest request = grouped("from_address");
  struct TwoGroups : api::AnswerBudget {
    Status trim_groups(api::AggregateResult& result) override {
      result.groups.resize(2);
      return {};
    }
  } budget;
  request.budget = &budget;
  must(server().reads().aggregate(agent.access, request));
  EXPECT_EQ(used(), (server::ReadAmount{22, 0}));
  EXPECT_EQ(seen("from_address").size(), 9U);
}

TEST_P(BudgetSuite, TextAndOtherBytesHaveSeparateBudgets) {
  const std::string text = put_blob("text/plain; charset=utf-8", std::string(220'000, 'x'), "t");
  const std::string json = put_blob("application/ld+json", std::string(500, '1'), "j");
  const std::string image = put_blob("image/png", std::string(3'000, 'p'), "i");
  const Reader agent = reader(2'000, 5'000);
  const auto read = [&](const std::string& blob, std::int64_t first, std::int64_t bytes, std::int64_t to_follow = 0) {
    return server().reads().blob(agent.access, {blob, {}, first, bytes, to_follow});
  };
  expect_over_budget(read(text, 0, 220'000));
  must(read(text, 100, 1'000));
  EXPECT_EQ(used(), (server::ReadAmount{1'000, 0})) << "a range counts the bytes that were sent";
  must(read(json, 0, 500));
  must(read(image, 0, 3'000));
  EXPECT_EQ(used(), (server::ReadAmount{1'500, 3'000}));
  expect_over_budget(read(image, 0, 1'000, 2'000));
  expect_over_budget(read(text, 0, 501));
  must(read(image, 0, 2'000));
  must(read(text, 0, 500));
  EXPECT_EQ(used(), (server::ReadAmount{2'000, 5'000}));
  must(read(image, 0, 0));
  const Reader other = reader(2'000);
  EXPECT_EQ(must(server().ledger().budgets(owner())).at(other.grant_id).bytes, 200'000)
      << "by default a hundred bytes for a character";
  EXPECT_EQ(server().ledger().set_budget(owner(), other.grant_id, std::nullopt, 5).error().code, Code::kInvalidRequest);
}

// One of the processes of the tests below: it reads until the budget refuses a single character and prints how much it
// got.
TEST(BudgetReader, DISABLED_ReadsUntilItIsRefused) {
  const auto own = must(store::open_store(std::getenv("LADDER_TEST_STORE"), store::OpenMode::kExisting));
  const test_support::StillClock clock;
  std::int64_t given = 0;
  {
    server::ResourceServer reading(*own, clock, {std::getenv("LADDER_TEST_JOURNALS"), false});
    const auto access = must(reading.accesses().authenticate(std::getenv("LADDER_TEST_TOKEN")));
    for (std::int64_t chars = std::atoll(std::getenv("LADDER_TEST_CHARS")); chars > 0;) {
      const auto window = reading.windows().read(access, {{"work", "notes", "long"}, "body", at_offset(0, chars)});
      if (window) given += window->end_chars - window->start_chars;
      else if (window.error().code == Code::kRateLimited) chars /= 2;
      else FAIL() << window.error().message;
    }
  }
  std::printf("\ngiven %lld\n", static_cast<long long>(given));
}

class SharedBudget : public BudgetSuite {
 protected:
  SharedBudget() { put("long", text_member("body", std::string(60'000, 'b'))); }

  test_support::ChildProcess start(const std::string& token, std::int64_t chars) {
    return test_support::ChildProcess(
        {"/proc/self/exe", "--gtest_filter=BudgetReader.*", "--gtest_also_run_disabled_tests"},
        {"/dev/null",
         {"LADDER_TEST_STORE=" + place().location(), "LADDER_TEST_JOURNALS=" + journal_beside().folder,
          "LADDER_TEST_TOKEN=" + token, "LADDER_TEST_CHARS=" + std::to_string(chars)}});
  }
  static std::int64_t given_in(const std::string& output) {
    const std::size_t at = output.find("given ");
    EXPECT_NE(at, std::string::npos) << output;
    return at == std::string::npos ? 0 : std::atoll(output.c_str() + at + 6);
  }
};
LADDER_FOR_EVERY_ENGINE(SharedBudget);

TEST_P(SharedBudget, SevenProcessesShareOneBudget) {
  struct Case {
    std::int64_t budget, chars;
  };
  for (const Case& each : {Case{5'000, 500}, Case{400'000, 3'000}}) {
    const auto issued = issue({{"work", "notes", {}, {}, {}, {}}});
    must(server().ledger().set_budget(owner(), issued.grant_ids.front(), each.budget));
    std::vector<std::unique_ptr<test_support::ChildProcess>> processes;
    for (int i = 0; i < 7; ++i) {
      processes.emplace_back(new test_support::ChildProcess(start(issued.token, each.chars)));
    }
    std::int64_t given = 0;
    for (const auto& process : processes) given += given_in(process->read_all());
    EXPECT_LE(given, each.budget);
    // The processes have returned what they did not use, so that the next one gets the rest.
    given += given_in(start(issued.token, each.chars).read_all());
    EXPECT_EQ(given, each.budget);
  }
}

TEST_P(SharedBudget, ThreadsShareTheProcessReservation) {
  const auto issued = issue({{"work", "notes", {}, {}, {}, {}}});
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 300'000));
  std::atomic<std::int64_t> given = 0;
  {
    std::vector<std::jthread> threads;
    for (int i = 0; i < 4; ++i) {
      threads.emplace_back([&, i] {
        const auto agent = must(server().accesses().authenticate(issued.token));
        for (std::int64_t chars = 3'000 + i; chars > 0;) {
          if (read(agent, "long", "body", at_offset(0, chars))) given += chars;
          else chars /= 2;
          if (chars % 7 == 0) must(server().ledger().sweep());
        }
      });
    }
  }
  EXPECT_LE(given, 300'000);
  const auto agent = must(server().accesses().authenticate(issued.token));
  while (given < 300'000 && read(agent, "long", "body", at_offset(0, 1))) ++given;
  EXPECT_EQ(given, 300'000);
}

TEST_P(SharedBudget, ADeadProcessLosesOneBlock) {
  const auto issued = issue({{"work", "notes", {}, {}, {}, {}}});
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 400'000));
  std::int64_t shown = 100;
  {
    // Never destroyed, like a killed process.
    auto* const killed = new server::ResourceServer(store(), clock(), journal_beside());
    must(killed->windows().read(must(killed->accesses().authenticate(issued.token)),
                                window_request("long", "body", at_offset(0, 100))));
    static auto* const reachable = new std::vector<server::ResourceServer*>;  // so that the leak checker can reach it
    reachable->push_back(killed);
  }
  const auto agent = must(server().accesses().authenticate(issued.token));
  for (std::int64_t chars = 10'000; chars > 0;) {
    if (read(agent, "long", "body", at_offset(0, chars))) shown += chars;
    else chars /= 2;
  }
  EXPECT_EQ(shown, 400'000 - (400'000 / 8 - 100));
}

TEST_P(SharedBudget, AnIdleProcessReturnsItsBlock) {
  const auto issued = issue({{"work", "notes", {}, {}, {}, {}}});
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 400'000));
  server::ResourceServer other(store(), clock(), journal_beside());
  must(
      other.windows().read(must(other.accesses().authenticate(issued.token)), window_request("long", "body", at_offset(0, 100))));
  must(other.ledger().sweep());
  must(other.ledger().sweep());
  const auto agent = must(server().accesses().authenticate(issued.token));
  for (int i = 0; i < 39; ++i) must(read(agent, "long", "body", at_offset(0, 10'000)));
  must(read(agent, "long", "body", at_offset(0, 9'900)));
  expect_over_budget(read(agent, "long", "body", at_offset(0, 1)));
}

TEST_P(SharedBudget, MostReadsCostNoWrite) {
  const auto issued = issue({{"work", "notes", {}, {}, {}, {}}});
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 1'000'000));
  const auto agent = must(server().accesses().authenticate(issued.token));
  for (int i = 0; i < 100; ++i) must(read(agent, "long", "body", at_offset(0, 1'000)));
  const auto rows = must(store().ledger().scan(agent.owner(), "reserved", "", "", 10, store::KeyOrder::kAscending));
  ASSERT_EQ(rows.size(), 1U);
  EXPECT_EQ(rows.front().version, 1) << "a hundred answers, and one reservation";
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 100'500));
  must(read(agent, "long", "body", at_offset(0, 500)));
  expect_over_budget(read(agent, "long", "body", at_offset(0, 1)));
}

TEST_P(SharedBudget, ANewBudgetCountsEarlierReads) {
  const auto issued = issue({{"work", "notes", {}, {}, {}, {}}});
  const auto agent = must(server().accesses().authenticate(issued.token));
  must(read(agent, "long", "body", at_offset(0, 300)));
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 400));
  expect_over_budget(read(agent, "long", "body", at_offset(0, 101)));
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), std::nullopt));
  must(read(agent, "long", "body", at_offset(0, 5'000)));
  must(server().ledger().set_budget(owner(), issued.grant_ids.front(), 5'400));
  expect_over_budget(read(agent, "long", "body", at_offset(0, 101)));
  must(read(agent, "long", "body", at_offset(0, 100)));
  clock().move(kDay);
  must(read(must(server().accesses().authenticate(issued.token)), "long", "body", at_offset(0, 5'400)));
  must(server().ledger().expire());
  EXPECT_EQ(must(store().ledger().scan(agent.owner(), "reserved", "", "", 10, store::KeyOrder::kAscending)).size(), 1U)
      << "rows of days that have ended are removed";
}

}  // namespace
}  // namespace ladder
