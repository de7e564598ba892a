// The disclosure ledger over both engines: every served character is recorded before it is served.
#include "server/ledger/ledger.h"

#include "base/text/utf8.h"
#include "json/scan/scan.h"
#include "store/ledger_store.h"
#include "store/testing/faulty_store.h"
#include "support/child_process.h"
#include "support/server_fixture.h"

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <thread>

namespace ladder {
namespace {

using server::LedgerEntry;
using server::LedgerQuery;
using server::ShownRange;
using server::ShownRanges;
using server::Unit;
using test_support::at_offset;
using test_support::must;
using test_support::record_line;
using test_support::text_member;

// Character ranges by record and field: served, or recorded.
using Seen = std::map<std::pair<std::string, std::string>, ShownRanges>;

void add(Seen& seen, const std::string& record, const std::string& field, std::int64_t start, std::int64_t end) {
  if (start < end) server::add_range(seen[{record, field}], {start, end});
}

Seen recorded_in(const std::vector<LedgerEntry>& entries) {
  Seen seen;
  for (const LedgerEntry& entry : entries) {
    for (const auto& record : entry.shown.records) {
      for (const auto& field : record.fields) {
        for (const ShownRange& range : field.ranges) {
          if (field.unit == Unit::kChars) add(seen, record.record.record_id, field.path, range.start, range.end);
        }
      }
    }
  }
  return seen;
}

class LedgerSuite : public test_support::ServerFixture {
 protected:
  LedgerSuite() {
    std::string long_text;
    for (int i = 0; i < 9'000; ++i) long_text += i % 7 == 0 ? "ä " : "word ";
    put("n1", text_member("title", "first note") + "," + text_member("body", "the körper of it") + "," +
                  text_member("secret", "hidden") + R"(,"words":12,"updated_at":"2026-05-01T00:00:00Z")");
    put("n2", text_member("title", "second") + "," + text_member("body", long_text) +
                  R"(,"blocks":{"a":["x",1]},"updated_at":"2026-06-01T00:00:00Z")");
    put("n3", text_member("title", "third") + R"(,"updated_at":"2026-07-01T00:00:00Z")");
  }

  server::GrantSelection notes(std::vector<std::string> fields = {}) { return {"work", "notes", std::move(fields), {}, {}, {}}; }
  std::vector<LedgerEntry> entries(const LedgerQuery& asked = {}) {
    LedgerQuery query = asked;
    std::vector<LedgerEntry> all;
    do {
      auto page = must(server().ledger(owner(), query));
      for (LedgerEntry& entry : page.entries) all.push_back(std::move(entry));
      query.cursor = page.next_cursor;
    } while (!query.cursor.empty());
    return all;
  }
  // The chain is valid, and the sums equal those of the merged ranges.
  void expect_sound() {
    EXPECT_EQ(must(server().check_ledger(owner())), std::vector<std::string>());
    std::map<std::string, std::pair<std::int64_t, std::int64_t>> counted, kept;
    for (const auto& seen : must(server().ledger_seen(owner(), {}))) {
      auto& [records, chars] = counted[seen.client_id + "/" + seen.shown.record.connection_id + "/" + seen.shown.record.stream];
      ++records;
      chars += seen.shown.total(Unit::kChars);
    }
    for (const server::SeenSum& sum : must(server().ledger_sums(owner()))) {
      kept[sum.client_id + "/" + sum.connection_id + "/" + sum.stream] = {sum.records, sum.chars};
    }
    EXPECT_EQ(kept, counted);
  }
  server::LedgerOptions journal_beside() { return {place().folder() / "journals", false}; }
};
LADDER_FOR_EVERY_ENGINE(LedgerSuite);

TEST_P(LedgerSuite, AWindowIsRecordedExactly) {
  server::Access agent = client(notes());
  agent.set_call({"rest", "/v1/window", "req-1"});
  const auto window = must(read(agent, "n2", "body", at_offset(100, 50)));
  const auto all = entries();
  ASSERT_EQ(all.size(), 1U);
  const LedgerEntry& entry = all.front();
  EXPECT_EQ(entry.at, clock().now());
  EXPECT_EQ(entry.client_id, "agent");
  EXPECT_EQ(entry.transport, "rest");
  EXPECT_EQ(entry.name, "/v1/window");
  EXPECT_EQ(entry.request_id, "req-1");
  EXPECT_EQ(entry.shown.kind, "window");
  ASSERT_EQ(entry.grants.size(), 1U);
  EXPECT_EQ(entry.grants.front().grant_id, agent.grants().front()->grant.grant_id);
  EXPECT_EQ(entry.grants.front().chars, 50);
  ASSERT_EQ(entry.shown.records.size(), 1U);
  EXPECT_EQ(entry.shown.records.front().record, (model::RecordRef{"work", "notes", "n2"}));
  const auto& field = entry.shown.records.front().fields.front();
  EXPECT_EQ(field.path, "body");
  EXPECT_EQ(crypto::digest_text(*field.digest), window.digest);
  EXPECT_EQ(field.size, window.size_chars);
  EXPECT_EQ(field.ranges, (ShownRanges{{100, 150}}));
  expect_sound();
}

TEST_P(LedgerSuite, EveryKindOfReadIsRecorded) {
  const server::Access agent = client(notes());
  must(read(agent, "n1", "body"));
  must(server().record(agent, {{"work", "notes", "n1"}, {}, {}, {}, {}, {}, {}, {}}));
  api::RecordsRequest list;
  list.stream = "notes";
  must(server().records(agent, list));
  list.changes_since = "beginning";
  must(server().records(agent, list));
  std::multiset<std::string> kinds;
  for (const LedgerEntry& entry : entries()) kinds.insert(entry.shown.kind);
  EXPECT_EQ(kinds, (std::multiset<std::string>{"changes", "record", "records", "window"}));
  const auto seen = must(server().ledger_seen(owner(), {"agent", {}, {}, {"work", "notes", "n1"}, 100, {}}));
  ASSERT_EQ(seen.size(), 1U);
  EXPECT_EQ(seen.front().answers, 4);
  expect_sound();
}

TEST_P(LedgerSuite, TheOwnersReadsAreNotRecorded) {
  must(read(owner(), "n1", "body"));
  const std::string token = must(server().create_owner_token(owner()));
  must(read(must(server().authenticate(token)), "n1", "body"));
  EXPECT_TRUE(entries().empty());
}

TEST_P(LedgerSuite, ARefusedReadIsNotRecorded) {
  const server::Access agent = client(notes({"id", "title"}));
  EXPECT_FALSE(read(agent, "n1", "secret"));
  EXPECT_FALSE(read(agent, "none", "title"));
  EXPECT_TRUE(entries().empty());
}

TEST_P(LedgerSuite, NoTextIsKept) {
  const server::Access agent = client(notes());
  must(read(agent, "n1", "body"));
  must(server().record(agent, {{"work", "notes", "n1"}, {}, {}, {}, {}, {}, {}, {}}));
  must(server().sweep_ledger());
  for (const char* kind : {"page", "seen", "use", "day"}) {
    for (const auto& item : must(store().ledger().scan(agent.owner(), kind, "", "", 100, store::KeyOrder::kAscending))) {
      for (const char* text : {"hidden", "first note", "körper"}) EXPECT_EQ(item.body.find(text), std::string::npos) << kind;
    }
  }
}

// Collects what a reader of the responses has seen.
class Reading {
 public:
  void window(const api::FieldWindow& window) {
    EXPECT_EQ(utf8::count(window.text), window.end_chars - window.start_chars);
    add(seen, window.record.record_id, window.path, window.start_chars, window.end_chars);
  }
  void record(const api::Record& record) {
    for (json::Members members(record.data); members.next();) {
      const json::Value& value = members.value();
      const std::string text =
          value.kind == json::Kind::kString ? json::decode_string(json::raw_content(value)) : std::string(value.text);
      const std::string name = json::decode_string(members.raw_name());
      const auto cut = std::ranges::find(record.cut, name, &api::CutField::path);
      const bool hidden = cut != record.cut.end() && cut->shown_chars == 0;
      if (!hidden) add(seen, record.ref.record_id, name, 0, utf8::count(text));
    }
  }

  Seen seen;
};

// 100,000 by LADDER_LEDGER_READS; a few hundred are a check, not a proof. Half of them use another process's journal.
TEST_P(LedgerSuite, TheRecordEqualsWhatIsServed) {
  const char* const wanted = std::getenv("LADDER_LEDGER_READS");
  const int reads = wanted ? std::atoi(wanted) : 400;
  const std::string token = issue({notes({"id", "title", "body", "blocks", "words"})}).token;
  server::ResourceServer other(store(), clock(), journal_beside());
  std::mt19937 random(11);
  Reading reading;
  for (int i = 0; i < reads; ++i) {
    const std::string id = "n" + std::to_string(1 + random() % 3);
    server::ResourceServer& by = random() % 2 == 0 ? server() : other;
    const server::Access agent = must(by.authenticate(token));
    switch (random() % 4) {
      case 0:
      case 1: {
        const auto start = static_cast<std::int64_t>(random() % 40'000);
        const auto window = by.field_window(
            agent, window_request(id, random() % 3 == 0 ? "title" : "body", at_offset(start, 1 + random() % 500)));
        if (window) reading.window(*window);
        break;
      }
      case 2: {
        api::RecordRequest request;
        request.record = {"work", "notes", id};
        if (random() % 2 == 0) request.max_field_chars = static_cast<std::int64_t>(random() % 900);
        if (random() % 2 == 0) request.fields = {"id", "title"};
        reading.record(must(by.record(agent, request)));
        break;
      }
      default: {
        api::RecordsRequest request;
        request.stream = "notes";
        request.limit = 1 + static_cast<std::int64_t>(random() % 3);
        request.max_field_chars = static_cast<std::int64_t>(random() % 300);
        const std::size_t room = 1 + random() % 3;
        request.keep = [room](const api::RecordsPage&) { return room; };
        for (const api::Record& record : must(by.records(agent, request)).records) reading.record(record);
      }
    }
    if (random() % 50 == 0) must(by.sweep_ledger());
  }
  must(other.sweep_ledger());
  EXPECT_EQ(recorded_in(entries()), reading.seen);
  Seen merged;
  for (const auto& seen : must(server().ledger_seen(owner(), {}))) {
    for (const auto& field : seen.shown.fields) {
      for (const ShownRange& range : field.ranges) add(merged, seen.shown.record.record_id, field.path, range.start, range.end);
    }
  }
  EXPECT_EQ(merged, reading.seen) << "a second call returns the same";
  expect_sound();
}

TEST_P(LedgerSuite, PagesGoBackThroughEverythingOnce) {
  const server::Access agent = client(notes());
  for (int i = 0; i < 30; ++i) {
    clock().move(kSecond);
    must(read(agent, "n2", "body", at_offset(i, 1)));
    if (i % 7 == 0) must(server().sweep_ledger());
  }
  LedgerQuery query;
  query.limit = 4;
  std::vector<std::int64_t> starts;
  do {
    const auto page = must(server().ledger(owner(), query));
    EXPECT_LE(page.entries.size(), 4U);
    for (const LedgerEntry& entry : page.entries)
      starts.push_back(entry.shown.records.front().fields.front().ranges.front().start);
    query.cursor = page.next_cursor;
  } while (!query.cursor.empty());
  ASSERT_EQ(starts.size(), 30U);
  for (std::size_t i = 0; i < starts.size(); ++i) EXPECT_EQ(starts[i], 29 - static_cast<std::int64_t>(i));
  EXPECT_EQ(server().ledger(owner(), {{}, {}, {}, {}, 10, "nonsense"}).error().code, Code::kInvalidCursor);
  LedgerQuery since;
  since.since = clock().now() - 4 * kSecond;
  EXPECT_EQ(entries(since).size(), 5U);
  EXPECT_TRUE(entries({"somebody", {}, {}, {}, 10, {}}).empty());
  EXPECT_TRUE(entries({{}, {}, {}, {"work", "notes", "n1"}, 10, {}}).empty());
  EXPECT_EQ(entries({{}, {}, {}, {"work", "notes", "n2"}, 10, {}}).size(), 30U);
}

// More records than one sweep transaction takes, and more entries than one journal part holds.
TEST_P(LedgerSuite, ASweepContinuesFromBatchToBatch) {
  constexpr int kRecords = 6'000, kPage = 100;
  std::string lines;
  for (int i = 0; i < kRecords; ++i) lines += record_line("r" + std::to_string(i), text_member("title", "one of many"));
  ASSERT_EQ(ingest(lines).added, kRecords);
  const std::size_t before = entries().size();
  {
    server::ResourceServer serving(store(), clock(), journal_beside());
    const server::Access agent = must(serving.authenticate(issue({notes({"title"})}).token));
    api::RecordsRequest request;
    request.stream = "notes";
    request.limit = kPage;
    int answers = 0;
    for (bool more = true; more; ++answers) {
      const auto page = must(serving.records(agent, request));
      more = page.has_more;
      request.cursor = page.next_cursor;
    }
    EXPECT_GT(answers, kRecords / kPage);
    must(serving.sweep_ledger());
    EXPECT_TRUE(std::filesystem::is_empty(place().folder() / "journals"));
    const auto all = entries();
    EXPECT_EQ(all.size(), before + static_cast<std::size_t>(answers));
    std::set<std::string> shown;
    for (const LedgerEntry& entry : all) {
      for (const auto& record : entry.shown.records) shown.insert(record.record.record_id);
    }
    EXPECT_EQ(shown.size(), static_cast<std::size_t>(kRecords + 3));
  }
  EXPECT_EQ(must(server().ledger_seen(owner(), {})).size(), static_cast<std::size_t>(kRecords + 3));
  expect_sound();
}

TEST_P(LedgerSuite, AnUnrecordableReadIsRefused) {
  server::ResourceServer other(store(), clock(), {"/dev/null/no-folder", false});
  const auto token = issue({notes()}).token;
  const auto window = other.field_window(must(other.authenticate(token)), window_request("n1", "body"));
  ASSERT_FALSE(window);
  EXPECT_EQ(window.error().code, Code::kStoreUnavailable);
  EXPECT_TRUE(other.field_window(must(other.local_owner("local")), window_request("n1", "body"))) << "the owner reads on";
}

// The process that the next test kills: it reads one character at a time and prints after each response which it got.
TEST(LedgerReader, DISABLED_ReadsUntilItIsKilled) {
  const auto own = must(store::open_store(std::getenv("LADDER_TEST_STORE"), store::OpenMode::kExisting));
  const test_support::StillClock clock;
  server::ResourceServer reading(*own, clock, {std::getenv("LADDER_TEST_JOURNALS"), false});
  const auto access = must(reading.authenticate(std::getenv("LADDER_TEST_TOKEN")));
  for (std::int64_t at = std::atoll(std::getenv("LADDER_TEST_FIRST")); at < 40'000; ++at) {
    must(reading.field_window(access, {{"work", "notes", "n2"}, "body", at_offset(at, 1)}));
    std::printf("\nserved %lld\n", static_cast<long long>(at));
    std::fflush(stdout);
    if (at % 5 == 4) static_cast<void>(reading.sweep_ledger());
  }
}

// Kills the process at any moment: everything it got is recorded once.
TEST_P(LedgerSuite, NothingIsLostWhenAProcessIsKilled) {
  const char* const wanted = std::getenv("LADDER_LEDGER_KILLS");
  const int kills = wanted ? std::atoi(wanted) : 6;
  const auto token = issue({notes()}).token;
  const server::LedgerOptions journals = journal_beside();
  std::mt19937 random(3);
  std::set<std::int64_t> served;
  const auto take = [&served](std::string_view line) {
    constexpr std::string_view kServed = "served ";
    const std::size_t at = line.find(kServed);
    if (at != std::string_view::npos) served.insert(std::atoll(line.data() + at + kServed.size()));
    return at != std::string_view::npos;
  };
  for (int i = 0; i < kills; ++i) {
    const std::int64_t first = served.empty() ? 0 : *served.rbegin() + 2;
    test_support::ChildProcess reader({"/proc/self/exe", "--gtest_filter=LedgerReader.*", "--gtest_also_run_disabled_tests"},
                                      {"/dev/null",
                                       {"LADDER_TEST_STORE=" + place().location(), "LADDER_TEST_JOURNALS=" + journals.folder,
                                        "LADDER_TEST_TOKEN=" + token, "LADDER_TEST_FIRST=" + std::to_string(first)}});
    std::string seen;
    for (auto line = reader.read_line(); line && !take(*line); line = reader.read_line()) seen += *line + "\n";
    ASSERT_FALSE(served.empty()) << seen;
    std::this_thread::sleep_for(std::chrono::microseconds(random() % 30'000));
    reader.kill(SIGKILL);
    EXPECT_EQ(reader.wait(), 128 + SIGKILL);
    // The last line may be cut off inside its number; only complete lines count.
    std::string rest = reader.read_all();
    rest.resize(rest.rfind('\n') == std::string::npos ? 0 : rest.rfind('\n'));
    for (std::size_t at = 0; at < rest.size(); at = std::min(rest.size(), rest.find('\n', at)) + 1) {
      take(std::string_view(rest).substr(at, rest.find('\n', at) - at));
    }
  }
  server::ResourceServer later(store(), clock(), journals);
  const auto who = must(later.local_owner("local"));
  std::multiset<std::int64_t> recorded;
  LedgerQuery query;
  query.limit = 1'000;
  do {
    const auto page = must(later.ledger(who, query));
    for (const LedgerEntry& entry : page.entries) {
      recorded.insert(entry.shown.records.front().fields.front().ranges.front().start);
    }
    query.cursor = page.next_cursor;
  } while (!query.cursor.empty());
  for (const std::int64_t at : served) EXPECT_EQ(recorded.count(at), 1U) << at;
  EXPECT_LE(recorded.size(), served.size() + static_cast<std::size_t>(kills)) << "at most the one that was under way";
  EXPECT_TRUE(std::filesystem::is_empty(journals.folder)) << "swept entries are gone";
  expect_sound();
}

TEST_P(LedgerSuite, ErasingARecordErasesItsRangesAndLeavesACount) {
  const server::Access agent = client(notes());
  must(read(agent, "n1", "body"));
  must(read(agent, "n2", "body", at_offset(0, 10)));
  must(server().sweep_ledger());
  must(read(agent, "n1", "title"));  // still in the journal
  must(server().erase_record(owner(), {"work", "notes", "n1"}));
  EXPECT_TRUE(must(server().ledger_seen(owner(), {{}, {}, {}, {"work", "notes", "n1"}, 10, {}})).empty());
  EXPECT_EQ(must(server().ledger_seen(owner(), {})).size(), 1U);
  const auto all = entries();
  ASSERT_EQ(all.size(), 3U);
  std::int64_t erased = 0;
  for (const LedgerEntry& entry : all) erased += entry.erased;
  EXPECT_EQ(erased, 2);
  const auto state = must(server().ledger_state(owner()));
  ASSERT_EQ(state.erased.size(), 1U);
  EXPECT_EQ(state.erased.front().client_id, "agent");
  EXPECT_GE(state.erased.front().records, 1);
  expect_sound();
  for (const auto& item : must(store().ledger().scan(agent.owner(), "page", "", "", 100, store::KeyOrder::kAscending))) {
    EXPECT_EQ(item.body.find("n1"), std::string::npos);
  }
  must(server().erase_stream(owner(), "work", "notes"));
  EXPECT_TRUE(must(server().ledger_seen(owner(), {})).empty());
  expect_sound();
}

// An older Ladder's ledger has no sums, or wrong ones if it wrote later.
TEST_P(LedgerSuite, RecountsMissingAndOldSums) {
  const server::Access agent = client(notes());
  must(read(agent, "n1", "body"));
  must(read(agent, "n2", "body", at_offset(0, 10)));
  must(server().sweep_ledger());
  expect_sound();
  const auto drop_sums = [&] {
    store::LedgerChange removal;
    for (const auto& item : must(store().ledger().scan(agent.owner(), "sum", "", "", 100, store::KeyOrder::kAscending))) {
      removal.removes.push_back(item.at);
    }
    ASSERT_GE(removal.removes.size(), 2U);
    ASSERT_TRUE(must(store().ledger().apply(removal)));
  };
  drop_sums();
  server::ResourceServer later(store(), clock(), journal_beside());
  const auto sums = must(later.ledger_sums(must(later.local_owner("local"))));
  ASSERT_EQ(sums.size(), 1U);
  EXPECT_EQ(sums.front().records, 2);
  EXPECT_EQ(sums.front().last_at, clock().now());
  auto wrong = must(store().ledger().scan(agent.owner(), "sum", std::string(1, '\1'), "", 100, store::KeyOrder::kAscending));
  ASSERT_EQ(wrong.size(), 1U);
  wrong.front().body[0] = 9;
  ASSERT_TRUE(must(store().ledger().apply({{wrong.front()}, {}})));
  EXPECT_EQ(must(server().ledger_sums(owner())).front().records, 9);
  clock().move(kDay);
  must(read(agent, "n3", "title"));
  expect_sound();
  EXPECT_EQ(must(server().ledger_sums(owner())).front().records, 3);
}

// Runs an action of another process right before the next change of the ledger.
class InterruptedStore final : public store::testing::FaultyStore {
 public:
  explicit InterruptedStore(store::Store& store) : FaultyStore(store), changes_(store.ledger()) {}
  store::LedgerStore& ledger() override { return changes_; }
  void before_next_change(std::function<void()> work) { changes_.interruption = std::move(work); }

 private:
  struct Changes final : store::LedgerStore {
    explicit Changes(store::LedgerStore& store) : real(store) {}
    Result<std::vector<store::LedgerItem>> find(std::span<const store::LedgerKey> keys) override { return real.find(keys); }
    Result<std::vector<store::LedgerItem>> scan(store::OwnerNo owner, std::string_view kind, std::string_view from,
                                                std::string_view to, std::int64_t limit, store::KeyOrder order) override {
      return real.scan(owner, kind, from, to, limit, order);
    }
    Result<bool> apply(const store::LedgerChange& change) override {
      if (interruption) std::exchange(interruption, nullptr)();
      return real.apply(change);
    }
    store::LedgerStore& real;
    std::function<void()> interruption;
  };
  Changes changes_;
};

// One process erases the record while another is about to sweep its first disclosure: none of its ranges returns.
TEST_P(LedgerSuite, ARecordErasedDuringASweepStaysErased) {
  const auto token = issue({notes()}).token;
  for (int round = 0; round < 3; ++round) {
    if (round > 0) put("n1", text_member("body", "the körper of another"));
    InterruptedStore other(store());
    server::ResourceServer sweeping(other, clock(), journal_beside());
    // Counts the sums, so that the next change is the sweep's.
    must(sweeping.ledger_sums(must(sweeping.local_owner("local"))));
    must(sweeping.field_window(must(sweeping.authenticate(token)), window_request("n1", "body")));
    other.before_next_change([&] {
      server::ErasureObserver observer;
      if (round == 0) must(server().erase_record(owner(), {"work", "notes", "n1"}));
      if (round == 1) must(server().erase_stream(owner(), "work", "notes"));
      if (round == 2) must(server().erase_connection(owner(), "work", observer));
    });
    must(sweeping.sweep_ledger());
    EXPECT_TRUE(must(server().ledger_seen(owner(), {})).empty()) << round;
    for (const auto& item : must(store().ledger().scan(owner().owner(), "page", "", "", 100, store::KeyOrder::kAscending))) {
      EXPECT_EQ(item.body.find("body"), std::string::npos) << round;
    }
    EXPECT_EQ(entries().front().erased, 1);
    const auto erased = must(server().ledger_state(owner())).erased;
    ASSERT_EQ(erased.size(), 1U);
    EXPECT_EQ(erased.front().records, round + 1);
    expect_sound();
    clock().move(kDay);
  }
}

// One damaged row must not stop reads, sweeps or erasures of its owner, and is reported.
TEST_P(LedgerSuite, OneUnreadableRecordStopsNothingElse) {
  const server::Access agent = client(notes());
  must(read(agent, "n1", "body"));
  must(read(agent, "n2", "body", at_offset(0, 10)));
  must(server().sweep_ledger());
  auto rows = must(store().ledger().scan(agent.owner(), "seen", "", "", 10, store::KeyOrder::kAscending));
  ASSERT_EQ(rows.size(), 2U);
  rows.front().body = "\xFF";
  ASSERT_TRUE(must(store().ledger().apply({{rows.front()}, {}})));
  clock().move(kDay);  // the sums are recounted
  must(read(agent, "n3", "title"));
  must(server().sweep_ledger());
  EXPECT_EQ(must(server().ledger_sums(owner())).front().records, 2);
  must(server().erase_record(owner(), {"work", "notes", "n3"}));
  const auto findings = must(server().check_ledger(owner()));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings.front().find("1 records"), std::string::npos) << findings.front();
}

// An entry's position finds it as long as it is kept.
TEST_P(LedgerSuite, AnEntryIsFoundByItsPosition) {
  const server::Access agent = client(notes());
  for (int i = 0; i < 5; ++i) {
    must(read(agent, "n2", "body", at_offset(i, 1)));
    if (i == 2) must(server().sweep_ledger());
  }
  const auto all = entries();
  ASSERT_EQ(all.size(), 5U);
  must(read(agent, "n1", "body"));
  for (const LedgerEntry& entry : all) {
    const auto page = must(server().ledger(owner(), {{}, {}, {}, {}, 1, entry.cursor}));
    ASSERT_EQ(page.entries.size(), 1U);
    EXPECT_EQ(page.entries.front(), entry);
  }
}

TEST_P(LedgerSuite, DetectsAChangedEntry) {
  const server::Access agent = client(notes());
  for (int day = 0; day < 3; ++day) {
    must(read(agent, "n1", "body"));
    must(server().sweep_ledger());
    clock().move(kDay);
  }
  expect_sound();
  EXPECT_EQ(must(server().ledger_state(owner())).days.size(), 3U);
  auto pages = must(store().ledger().scan(agent.owner(), "page", "", "", 10, store::KeyOrder::kAscending));
  ASSERT_EQ(pages.size(), 3U);
  store::LedgerItem changed = pages[1];
  const std::size_t at = changed.body.find("agent");
  ASSERT_NE(at, std::string::npos);
  changed.body[at] = 'A';
  ASSERT_TRUE(must(store().ledger().apply({{changed}, {}})));
  const auto findings = must(server().check_ledger(owner()));
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_NE(findings.front().find("2026-11-02"), std::string::npos) << findings.front();
  ASSERT_TRUE(must(store().ledger().apply({{}, {pages[2].at}})));
  EXPECT_GT(must(server().check_ledger(owner())).size(), 1U) << "a page that is missing";
}

TEST_P(LedgerSuite, ABudgetIsCountedAndRefusesUntilTheNextDay) {
  const auto issued = issue({notes()});
  const std::string grant = issued.grant_ids.front();
  EXPECT_EQ(server().set_budget(owner(), "grt_none", 10).error().code, Code::kNotFound);
  EXPECT_EQ(server().set_budget(owner(), grant, 0).error().code, Code::kInvalidRequest);
  must(server().set_budget(owner(), grant, 100));
  const server::Access agent = must(server().authenticate(issued.token));
  must(read(agent, "n2", "body", at_offset(0, 60)));
  must(server().sweep_ledger());
  must(read(agent, "n2", "body", at_offset(60, 30)));
  const auto refused = read(agent, "n2", "body", at_offset(90, 11));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().code, Code::kRateLimited);
  EXPECT_EQ(refused.error().more->rule, server::Ledger::kBudgetRule);
  EXPECT_EQ(refused.error().more->retry_after_seconds, 12 * 3600);
  EXPECT_NE(refused.error().message.find("2026-11-02T00:00:00"), std::string::npos) << refused.error().message;
  must(read(agent, "n2", "body", at_offset(90, 10)));
  EXPECT_FALSE(read(agent, "n2", "body", at_offset(0, 1))) << "an earlier range is shown again and counts";
  EXPECT_EQ(entries().size(), 3U) << "a refused read shows nothing";
  clock().move(kDay / 2);
  must(read(must(server().authenticate(issued.token)), "n2", "body", at_offset(0, 100)));
  must(server().set_budget(owner(), grant, std::nullopt));
  must(read(must(server().authenticate(issued.token)), "n2", "body", at_offset(0, 4'000)));
  std::int64_t chars = 0;
  for (const auto& use : must(server().ledger_uses(owner(), 0, 100'000))) chars += use.chars;
  EXPECT_EQ(chars, 100 + 100 + 4'000);
}

TEST_P(LedgerSuite, AnotherProcessCountsTheSameBudget) {
  const auto issued = issue({notes()});
  must(server().set_budget(owner(), issued.grant_ids.front(), 100));
  must(read(must(server().authenticate(issued.token)), "n2", "body", at_offset(0, 90)));
  must(server().sweep_ledger());
  server::ResourceServer other(store(), clock(), journal_beside());
  const auto agent = must(other.authenticate(issued.token));
  EXPECT_FALSE(other.field_window(agent, window_request("n2", "body", at_offset(0, 11))));
  EXPECT_TRUE(other.field_window(agent, window_request("n2", "body", at_offset(0, 10))));
}

TEST_P(LedgerSuite, KeepsWordsOnlyIfTheOwnerWants) {
  const server::Access agent = client(notes());
  must(read(agent, "n1", "body", test_support::for_query("körper")));
  EXPECT_EQ(entries().front().shown.query, "");
  must(server().set_ledger(owner(), {90, 0, true}));
  clock().move(kSecond);
  must(read(agent, "n1", "body", test_support::for_query("körper")));
  EXPECT_EQ(entries().front().shown.query, "körper");
  EXPECT_EQ(must(server().ledger_state(owner())).settings, (server::LedgerSettings{90, 0, true}));
  EXPECT_EQ(server().set_ledger(owner(), {0, 0, false}).error().code, Code::kInvalidRequest);
  EXPECT_EQ(server().set_ledger(owner(), {90, 30, false}).error().code, Code::kInvalidRequest);
}

TEST_P(LedgerSuite, EntriesExpireAndTheirDigestsStay) {
  const server::Access agent = client(notes());
  must(read(agent, "n1", "body"));
  must(server().sweep_ledger());
  const auto head = must(server().ledger_state(owner())).days.front().head;
  clock().move(91 * kDay);
  must(read(agent, "n1", "title"));
  must(server().sweep_ledger());
  must(server().expire_ledger());
  EXPECT_EQ(entries().size(), 1U);
  EXPECT_EQ(must(server().ledger_seen(owner(), {})).size(), 1U) << "seen ranges are kept";
  const auto days = must(server().ledger_state(owner())).days;
  ASSERT_EQ(days.size(), 2U);
  EXPECT_TRUE(days.front().expired);
  EXPECT_EQ(days.front().head, head);
  expect_sound();
  must(server().set_ledger(owner(), {1, 1, false}));
  clock().move(3 * kDay);
  must(server().expire_ledger());
  EXPECT_TRUE(must(server().ledger_seen(owner(), {})).empty());
  expect_sound();
}

TEST_P(LedgerSuite, OnlyTheOwnerReadsIt) {
  const server::Access agent = client(notes());
  EXPECT_EQ(server().ledger(agent, {}).error().code, Code::kPermission);
  EXPECT_EQ(server().ledger_seen(agent, {}).error().code, Code::kPermission);
  EXPECT_EQ(server().ledger_sums(agent).error().code, Code::kPermission);
  EXPECT_EQ(server().ledger_uses(agent, 0, 1).error().code, Code::kPermission);
  EXPECT_EQ(server().set_ledger(agent, {}).error().code, Code::kPermission);
  EXPECT_EQ(server().set_budget(agent, "x", 1).error().code, Code::kPermission);
}

TEST_P(LedgerSuite, SeveralThreadsAndServersLoseNothing) {
  server::ResourceServer other(store(), clock(), journal_beside());
  const auto token = issue({notes()}).token;
  constexpr int kReads = 60;
  {
    std::vector<std::jthread> readers;
    for (server::ResourceServer* reading : {&server(), &server(), &other, &other}) {
      readers.emplace_back([&, reading, offset = static_cast<std::int64_t>(readers.size()) * 1'000] {
        const auto access = must(reading->authenticate(token));
        for (int i = 0; i < kReads; ++i) {
          must(reading->field_window(access, window_request("n2", "body", at_offset(offset + 2 * i, 1))));
          if (i % 10 == 0) {
            EXPECT_TRUE(reading->sweep_ledger());
          }
        }
      });
    }
  }
  EXPECT_TRUE(other.sweep_ledger());
  EXPECT_EQ(entries().size(), 4U * kReads);
  EXPECT_EQ(length_of(must(server().ledger_seen(owner(), {})).front().shown.fields.front().ranges), 4 * kReads);
  expect_sound();
}

}  // namespace
}  // namespace ladder
