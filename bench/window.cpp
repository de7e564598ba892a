// Measures a bounded window of a field against a bare prepared SELECT of the same chunks, and a search without a hit
// against reading and case-folding every chunk. Ladder and the floor take turns in one loop on one core, so that noise
// affects both equally.
//
//   bench_window [sqlite|postgres] [--all]     --all adds a value of 1 GB (about 8 GB of disk and 4 GB of memory)
#include "bare.h"
#include "ledger_cost.h"
#include "report.h"
#include "scene.h"

#include "base/limits.h"
#include "base/text/casefold.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "store/compression/compression.h"
#include "store/long_values/long_value.h"
#include "store/postgres/engine/record_rows.h"

#include <atomic>
#include <memory>
#include <random>
#include <thread>

namespace ladder::bench {
namespace {

constexpr std::int64_t kWindowChars = 4096;
constexpr std::int64_t kScanChunks = 128;                                            // per round trip of a search
constexpr std::string_view kAbsent = "then sleep came over the lanterns of Zurich";  // its words occur, the sentence does not

constexpr double kMaxOverSqlite = 3, kMaxOverPostgres = 2, kMaxGrowth = 1.5, kMaxOverScan = 2;
constexpr std::int64_t kMaxMemory = 4 << 20;

struct Value {
  std::string name;
  std::int64_t chars;
};

std::vector<Value> values(bool all) {
  std::vector<Value> list = {{"4 KB", 4096}, {"200 KB", 200'000}, {"1 MB", 1'000'000}, {"100 MB", 100'000'000}};
  if (all) list.push_back({"1 GB", 1'000'000'000});
  return list;
}

std::string_view raw_chunk(const store::StoredBytes& stored, std::string& buffer) {
  const auto raw = store::raw_bytes(stored, limits::kChunkBytes, buffer);
  if (!raw) give_up("a chunk is damaged");
  return *raw;
}

// Reads chunks as they are stored, with no other work. A search decompresses them, since it folds the text.
class Floor {
 public:
  virtual ~Floor() = default;
  virtual std::string record_body(const std::string& key) = 0;
  virtual void read(store::ValueId value, std::int64_t first, std::int64_t last, std::string& text) = 0;
  virtual void search(store::ValueId value, std::int64_t chunks, FoldedFinder& finder) = 0;
  virtual std::string text(store::ValueId value, std::int64_t first, std::int64_t last) = 0;  // for comparison, untimed
};

class SqliteFloor final : public Floor {
 public:
  explicit SqliteFloor(const std::string& path) : db_(path, BareSqlite::Access::kRead) {}

  std::string record_body(const std::string& key) override {
    sqlite3_stmt* const row = db_.prepare(
        format("SELECT stored_body, raw_size FROM records WHERE owner_no = 1 AND key = CAST('{}' AS BLOB)", key).c_str());
    if (sqlite3_step(row) != SQLITE_ROW) give_up("the record of a value is not there");
    std::string body = raw_of(bytes_at(row, 0), maybe_number_at(row, 1));
    sqlite3_reset(row);
    return body;
  }
  void read(store::ValueId value, std::int64_t first, std::int64_t last, std::string& text) override {
    text.clear();
    select(value, first, last, [&](const store::StoredBytes& chunk) { text += chunk.bytes; });
  }
  void search(store::ValueId value, std::int64_t chunks, FoldedFinder& finder) override {
    std::string buffer;
    select(value, 0, chunks - 1, [&](const store::StoredBytes& chunk) { finder.feed(raw_chunk(chunk, buffer)); });
  }
  std::string text(store::ValueId value, std::int64_t first, std::int64_t last) override {
    std::string all, buffer;
    select(value, first, last, [&](const store::StoredBytes& chunk) { all += raw_chunk(chunk, buffer); });
    return all;
  }

 private:
  // A statement outside a transaction is its own read transaction.
  template <class Use>
  void select(store::ValueId value, std::int64_t first, std::int64_t last, Use use) {
    sqlite3_bind_int64(chunks_, 1, value);
    sqlite3_bind_int64(chunks_, 2, first);
    sqlite3_bind_int64(chunks_, 3, last);
    while (sqlite3_step(chunks_) == SQLITE_ROW) use(store::StoredBytes{bytes_at(chunks_, 0), maybe_number_at(chunks_, 1)});
    sqlite3_reset(chunks_);
  }

  BareSqlite db_;
  sqlite3_stmt* chunks_ = db_.prepare(
      "SELECT stored, raw_size FROM chunks WHERE owner_no = 1 AND value_id = ?1 AND chunk_no BETWEEN ?2 AND ?3 ORDER BY "
      "chunk_no");
};

class PostgresFloor final : public Floor {
 public:
  explicit PostgresFloor(const std::string& address) : db_(address) {
    std::string chunks(store::postgres::kSelectChunksSql);
    chunks.replace(chunks.find(":owner"), 6, "1");
    db_.prepare("chunks", chunks.c_str());
    db_.prepare("body", "SELECT stored_body, raw_size FROM records WHERE owner_no = 1 AND key = $1::bytea");
  }

  std::string record_body(const std::string& key) override {
    const BareRows rows = db_.run("body", store::postgres::Parameters(std::string_view(key)));
    if (PQntuples(rows.get()) != 1) give_up("the record of a value is not there");
    return raw_of(bytes_at(rows, 0, 0), maybe_int8_at(rows, 0, 1));
  }
  void read(store::ValueId value, std::int64_t first, std::int64_t last, std::string& text) override {
    text.clear();
    select(value, first, last, [&](const store::StoredBytes& chunk) { text += chunk.bytes; });
  }
  void search(store::ValueId value, std::int64_t chunks, FoldedFinder& finder) override {
    std::string buffer;
    for (std::int64_t first = 0; first < chunks; first += kScanChunks) {
      select(value, first, std::min(first + kScanChunks, chunks) - 1,
             [&](const store::StoredBytes& chunk) { finder.feed(raw_chunk(chunk, buffer)); });
    }
  }
  std::string text(store::ValueId value, std::int64_t first, std::int64_t last) override {
    std::string all, buffer;
    select(value, first, last, [&](const store::StoredBytes& chunk) { all += raw_chunk(chunk, buffer); });
    return all;
  }

 private:
  template <class Use>
  void select(store::ValueId value, std::int64_t first, std::int64_t last, Use use) {
    const BareRows rows = db_.run("chunks", store::postgres::Parameters(value, first, last));
    for (int row = 0; row < PQntuples(rows.get()); ++row) {
      use(store::StoredBytes{bytes_at(rows, row, 0), maybe_int8_at(rows, row, 3)});
    }
  }

  BarePostgres db_;
};

std::unique_ptr<Floor> floor_of(const ScratchLocation& place) {
  if (place.engine() == "sqlite") return std::make_unique<SqliteFloor>(place.location());
  return std::make_unique<PostgresFloor>(place.location());
}

// A position in a value, and the windows that Ladder and the floor read there.
struct Case {
  std::string what;
  Value value;
  std::vector<std::int64_t> offsets;  // a few of them per turn
  store::LongRef ref{};
  Samples ladder{}, floor{};
};

constexpr std::size_t kReadsATurn = 8, kLedgerReads = 4'000;

api::FieldWindowRequest request_at(const Value& value, std::int64_t offset) {
  model::WindowArguments window;
  window.offset_chars = offset;
  window.limit_chars = kWindowChars;
  return {{"work", "notes", value.name}, "body", window};
}

// Reads window after window to the end.
std::vector<std::int64_t> walk(std::int64_t from) {
  std::vector<std::int64_t> offsets;
  for (std::size_t i = 0; i < kReadsATurn; ++i) offsets.push_back(from + static_cast<std::int64_t>(i) * kWindowChars);
  return offsets;
}

std::vector<std::int64_t> anywhere(std::int64_t chars) {
  std::vector<std::int64_t> offsets;
  std::mt19937_64 random(1);
  std::uniform_int_distribution<std::int64_t> pick(0, chars - kWindowChars);
  for (std::size_t i = 0; i < 100 * kReadsATurn; ++i) offsets.push_back(pick(random));
  return offsets;
}

std::vector<Case> cases(const std::vector<Value>& values) {
  std::vector<Case> list;
  for (const Value& value : values) {
    const auto add = [&](const char* where, std::vector<std::int64_t> offsets) {
      list.push_back({value.name + " " + where, value, std::move(offsets)});
    };
    if (value.chars <= kWindowChars) {
      add("whole", std::vector<std::int64_t>(kReadsATurn, 0));
      continue;
    }
    add("start", walk(0));
    add("middle", walk(value.chars / 2));
    add("end", walk(value.chars - static_cast<std::int64_t>(kReadsATurn) * kWindowChars));
    add("anywhere", anywhere(value.chars));
  }
  return list;
}

class WindowBench {
 public:
  WindowBench(const std::string& engine, const std::vector<Value>& values, Report& report)
      : place_(engine), values_(values), report_(report) {
    fill();
  }

  void run() {
    progress(place_.name_in_table() + ": reading");
    measure_memory();
    open();
    floor_ = floor_of(place_);
    measure_windows();
    measure_ledger();
    measure_search();
  }

 private:
  void fill() {
    in_another_process([&] {
      Scene scene(place_, Scene::Set::kUp);
      for (const Value& value : values_) {
        progress(format("{}: writing a value of {}", place_.name_in_table(), value.name));
        scene.ingest(note_line(value.name, prose(value.chars, static_cast<std::uint64_t>(value.chars))));
      }
      return 0;
    });
  }

  void open() {
    scene_ = std::make_unique<Scene>(place_, Scene::Set::kAlready);
    client_ = std::make_unique<server::Access>(scene_->client());
  }

  api::FieldWindow read(const api::FieldWindowRequest& request) {
    return must(scene_->server().windows().read(*client_, request));
  }

  bool misses(const Value& value) {
    api::FieldWindowRequest request{{"work", "notes", value.name}, "body", {}};
    request.window.q = std::string(kAbsent);
    const auto found = scene_->server().windows().read(*client_, request);
    return !found && found.error().code == Code::kQueryNotFound;
  }

  const Value& searched() const { return values_[3]; }  // 100 MB

  // Measures memory from the first small read through many windows of every value and a search.
  void measure_memory() {
    const std::int64_t grown = in_another_process([&] {
      open();
      read(request_at(values_.front(), 0));
      const std::int64_t before = anonymous_memory();
      std::atomic<std::int64_t> most = before;
      const auto look = [&] { most = std::max(most.load(), anonymous_memory()); };
      std::jthread watcher([&](const std::stop_token& stop) {
        for (; !stop.stop_requested(); std::this_thread::sleep_for(std::chrono::milliseconds(1))) look();
      });
      for (const Case& each : cases(values_)) {
        for (const std::int64_t offset : each.offsets) read(request_at(each.value, offset));
      }
      if (!misses(searched())) give_up("the absent words were found");
      watcher = {};
      look();
      return most - before;
    });
    report_.below(place_.name_in_table() + " memory grown while reading",
                  format("{:.2f} MB", static_cast<double>(grown) / (1 << 20)), grown < kMaxMemory, "< 4 MB");
  }

  void measure_windows() {
    std::vector<Case> list = cases(values_);
    for (Case& each : list) {
      const std::string body = floor_->record_body(each.value.name);
      each.ref = must(store::parse_reference(json::member(body, "body")->text));
    }
    const int rounds = place_.engine() == "sqlite" ? 1000 : 400;
    std::string bare;
    for (int round = 0; round < rounds; ++round) {
      for (Case& each : list) take_turns(each, static_cast<std::size_t>(round) * kReadsATurn, bare);
    }
    const double bar = place_.engine() == "sqlite" ? kMaxOverSqlite : kMaxOverPostgres;
    for (const Case& each : list) {
      report_.at_most(format("{} {}", place_.name_in_table(), each.what), each.ladder.text(), each.floor.text(),
                      each.ladder.p50() / each.floor.p50(), bar);
    }
    const Case& small = list.front();
    for (const Case& each : list) {
      if (each.what != "100 MB end") continue;
      report_.at_most(format("{} {} against {}", place_.name_in_table(), each.what, small.what), each.ladder.text(),
                      small.ladder.text(), each.ladder.p50() / small.ladder.p50(), kMaxGrowth);
    }
  }

  // Repeats each read a few times in a row, so that neither side pays for cold caches left by the other.
  void take_turns(Case& each, std::size_t from, std::string& bare) {
    const auto offset = [&](std::size_t read) { return each.offsets[(from + read) % each.offsets.size()]; };
    for (std::size_t i = 0; i < kReadsATurn; ++i) {
      const auto span = store::chunk_span(each.ref, offset(i), offset(i) + kWindowChars);
      each.floor.time([&] { floor_->read(each.ref.text_id, span.first, span.last, bare); });
    }
    for (std::size_t i = 0; i < kReadsATurn; ++i) {
      const api::FieldWindowRequest request = request_at(each.value, offset(i));
      const api::FieldWindow window = each.ladder.time([&] { return read(request); });
      const bool last = i + 1 == kReadsATurn;
      if (!last) continue;
      const auto span = store::chunk_span(each.ref, offset(i), offset(i) + kWindowChars);
      if (floor_->text(each.ref.text_id, span.first, span.last).find(window.text) == std::string::npos)
        give_up("Ladder and the bare SELECT read different text");
    }
  }

  // Measures the ledger entry of a random window of 100 MB, and of the cheapest read.
  void measure_ledger() {
    for (const Value* value : {&values_.front(), &searched()}) {
      Samples reads;
      api::FieldWindow window;
      const auto offsets = value->chars <= kWindowChars ? std::vector<std::int64_t>{0} : anywhere(value->chars);
      for (std::size_t i = 0; i < kLedgerReads; ++i) {
        const api::FieldWindowRequest request = request_at(*value, offsets[i % offsets.size()]);
        window = reads.time([&] { return read(request); });
      }
      const test_support::ScratchFolder journals;
      report_ledger(report_, format("{} {} window", place_.name_in_table(), value->name), reads,
                    bench::measure_ledger(*scene_, *client_, window, journals.path().string()));
    }
  }

  void measure_search() {
    const std::string body = floor_->record_body(searched().name);
    const store::LongRef ref = must(store::parse_reference(json::member(body, "body")->text));
    const std::int64_t chunks = (ref.size_chars + ref.chunk_chars - 1) / ref.chunk_chars;
    Samples ladder, floor;
    for (int round = 0; round < 9; ++round) {
      floor.time([&] {
        FoldedFinder finder(kAbsent);
        floor_->search(ref.text_id, chunks, finder);
        if (finder.fed_chars() != ref.size_chars) give_up("the bare search did not see every chunk");
      });
      if (!ladder.time([&] { return misses(searched()); })) give_up("the absent words were found");
    }
    report_.at_most(format("{} {} q without a match", place_.name_in_table(), searched().name), ladder.text(), floor.text(),
                    ladder.p50() / floor.p50(), kMaxOverScan);
  }

  ScratchLocation place_;
  const std::vector<Value>& values_;
  Report& report_;
  std::unique_ptr<Scene> scene_;
  std::unique_ptr<server::Access> client_;
  std::unique_ptr<Floor> floor_;
};

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {"--all"}, given);
  stay_on_one_core();
  Report report("window of 4,096 chars, p50 / p99");
  const std::vector<Value> list = values(!given.empty());
  for (const std::string& engine : engines) WindowBench(engine, list, report).run();
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
