// How many records a second does ingest take, beside a bare prepared loop that writes the very same rows? The floor gets the rows
// that Ladder wrote, read back and ready to bind, in batches of Ladder's sizes, with the same settings of the engine; afterwards
// both stores must hold the same.
//
//   bench_ingest [sqlite|postgres]
#include "bare.h"
#include "report.h"
#include "scene.h"

#include "base/format.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <deque>
#include <memory>
#include <optional>

namespace ladder::bench {
namespace {

using store::postgres::ByteaArray;
using store::postgres::Int8Array;
using store::postgres::Parameters;

constexpr std::int64_t kRecords = 100'000;
constexpr std::int64_t kBodyChars = 300;
constexpr int kRounds = 3;
constexpr double kLeastShare = 0.5;
// What ingest writes into; both stores must be equal in them.
constexpr std::array kTables = {"records", "changes", "number_blocks", "streams"};

std::string all_lines() {
  std::string lines;
  for (std::int64_t i = 0; i < kRecords; ++i) {
    lines += note_line(format("note-{:08}", i * 7919 % kRecords), prose(kBodyChars, static_cast<std::uint64_t>(i)));
  }
  return lines;
}

// How many lines each transaction of the ingest held.
class BatchSizes final : public rs::IngestObserver {
 public:
  void durable_through(std::int64_t line, const rs::IngestReport&) override {
    sizes_.push_back(line - last_);
    last_ = line;
  }
  const std::vector<std::int64_t>& get() const { return sizes_; }

 private:
  std::vector<std::int64_t> sizes_;
  std::int64_t last_ = 0;
};

double seconds(auto work) {
  const auto began = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began).count();
}

struct Record {
  std::int64_t no, version, first_value, value_count;
  std::optional<std::int64_t> consent_time;
  std::string key, order_key, emitted_at, digest, field_versions, body;
};

struct Block {
  std::int64_t first, size;
};

// A batch's last word on its stream.
struct StreamState {
  std::int64_t records = 0, max_version = 0, next_no = 0, block_end = 0;

  void take(const Record& record) {
    ++records;
    max_version = record.version;
    next_no = record.no + 1;
  }
};

class Floor {
 public:
  virtual ~Floor() = default;
  virtual void load(const Place& from, const std::vector<std::int64_t>& batches) = 0;
  virtual void write() = 0;  // what is timed
  virtual void compare(const Place& other) = 0;
};

class SqliteFloor final : public Floor {
 public:
  explicit SqliteFloor(const Place& place) : db_(place.location(), BareSqlite::Access::kWrite) {}

  void load(const Place& from, const std::vector<std::int64_t>& batches) override {
    batches_ = batches;
    BareSqlite written(from.location(), BareSqlite::Access::kRead);
    sqlite3_stmt* const rows = written.prepare(
        "SELECT record_no, version, first_value, value_count, consent_time, key, order_key, emitted_at, digest, field_versions, "
        "body "
        "FROM records ORDER BY record_no");
    while (sqlite3_step(rows) == SQLITE_ROW) {
      const auto number = [&](int column) { return sqlite3_column_int64(rows, column); };
      const auto text = [&](int column) { return std::string(bytes_at(rows, column)); };
      const bool timed = sqlite3_column_type(rows, 4) != SQLITE_NULL;
      records_.push_back({number(0), number(1), number(2), number(3), timed ? std::optional(number(4)) : std::nullopt, text(5),
                          text(6), text(7), text(8), text(9), text(10)});
    }
    sqlite3_stmt* const blocks = written.prepare("SELECT first, size FROM number_blocks ORDER BY first");
    while (sqlite3_step(blocks) == SQLITE_ROW)
      blocks_.push_back({sqlite3_column_int64(blocks, 0), sqlite3_column_int64(blocks, 1)});
    stream_ = std::stoll(written.value("SELECT stream_no FROM streams WHERE record_count > 0"));
  }

  void write() override {
    StreamState state;
    auto record = records_.begin();
    auto block = blocks_.begin();
    for (const std::int64_t size : batches_) {
      db_.run(begin_);
      for (std::int64_t i = 0; i < size; ++i, ++record) {
        if (block != blocks_.end() && record->no == block->first) {
          add_block(*block);
          state.block_end = block->first + block->size;
          ++block;
        }
        add(*record);
        state.take(*record);
      }
      bind(set_stream_, {stream_, state.records, state.max_version, state.next_no, state.block_end});
      db_.run(set_stream_);
      db_.run(commit_);
    }
  }

  void compare(const Place& other) override {
    db_.execute(format("ATTACH '{}' AS other", other.location()));
    for (const char* table : kTables) {
      for (const auto& [left, right] : {std::pair("main", "other"), std::pair("other", "main")}) {
        const std::string lacking =
            db_.value(format("SELECT count(*) FROM (SELECT * FROM {}.{} EXCEPT SELECT * FROM {}.{})", left, table, right, table));
        if (lacking != "0") give_up(format("{} rows of {} differ between Ladder's store and the floor's", lacking, table));
      }
    }
  }

 private:
  static void bind(sqlite3_stmt* statement, std::initializer_list<std::int64_t> numbers) {
    int at = 0;
    for (const std::int64_t number : numbers) sqlite3_bind_int64(statement, ++at, number);
  }
  static void bind(sqlite3_stmt* statement, int at, const std::string& bytes) {
    sqlite3_bind_blob64(statement, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  }

  void add_block(const Block& block) {
    bind(add_block_, {block.first, block.size, stream_});
    db_.run(add_block_);
    bind(set_counter_, {block.first + block.size});
    db_.run(set_counter_);
  }

  void add(const Record& record) {
    bind(add_record_, {record.no, stream_, record.version, record.first_value, record.value_count});
    if (record.consent_time) sqlite3_bind_int64(add_record_, 6, *record.consent_time);
    else sqlite3_bind_null(add_record_, 6);
    bind(add_record_, 7, record.key);
    bind(add_record_, 8, record.order_key);
    sqlite3_bind_text64(add_record_, 9, record.emitted_at.data(), record.emitted_at.size(), SQLITE_STATIC, SQLITE_UTF8);
    bind(add_record_, 10, record.digest);
    bind(add_record_, 11, record.field_versions);
    bind(add_record_, 12, record.body);
    db_.run(add_record_);
    bind(add_change_, {stream_, 0, record.version, record.no});
    db_.run(add_change_);
  }

  BareSqlite db_;
  sqlite3_stmt* begin_ = db_.prepare("BEGIN IMMEDIATE");
  sqlite3_stmt* commit_ = db_.prepare("COMMIT");
  sqlite3_stmt* add_record_ = db_.prepare(
      "INSERT INTO records(record_no, stream_no, version, first_value, value_count, consent_time, key, order_key, emitted_at, "
      "digest, "
      "field_versions, body) VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)");
  sqlite3_stmt* add_change_ = db_.prepare("INSERT INTO changes(stream_no, field_no, version, record_no) VALUES(?1, ?2, ?3, ?4)");
  sqlite3_stmt* add_block_ = db_.prepare("INSERT INTO number_blocks(first, size, stream_no) VALUES(?1, ?2, ?3)");
  sqlite3_stmt* set_counter_ = db_.prepare("UPDATE meta SET value = ?1 WHERE key = 'next_record'");
  sqlite3_stmt* set_stream_ = db_.prepare(
      "UPDATE streams SET record_count = ?2, max_version = ?3, next_record_no = ?4, block_end = ?5 WHERE stream_no = ?1");
  std::vector<std::int64_t> batches_;
  std::vector<Record> records_;
  std::vector<Block> blocks_;
  std::int64_t stream_ = 0;
};

// One statement a table and batch, its rows as arrays: the quickest way into PostgreSQL that is not COPY.
class PostgresFloor final : public Floor {
 public:
  explicit PostgresFloor(const Place& place) : place_(place), db_(place.location()) {
    for (const auto& [name, sql] : kStatements) db_.prepare(name, sql);
  }

  void load(const Place& from, const std::vector<std::int64_t>& sizes) override {
    BarePostgres written(from.location());
    written.prepare("records",
                    "SELECT record_no, version, first_value, value_count, consent_time, key, order_key, emitted_at, digest, "
                    "field_versions, body FROM records ORDER BY record_no");
    written.prepare("blocks", "SELECT first_no, size FROM number_blocks ORDER BY first_no");
    const BareRows rows = written.run("records", Parameters());
    const BareRows blocks = written.run("blocks", Parameters());
    stream_ = std::stoll(written.value("SELECT stream_no FROM streams WHERE record_count > 0"));
    StreamState state;
    int row = 0;
    int block = 0;
    for (const std::int64_t size : sizes) {
      Batch& batch = batches_.emplace_back();
      for (std::int64_t i = 0; i < size; ++i, ++row) {
        const std::int64_t no = int8_at(rows, row, 0);
        if (block < PQntuples(blocks.get()) && no == int8_at(blocks, block, 0)) {
          batch.blocks.push_back({no, int8_at(blocks, block++, 1)});
          state.block_end = no + batch.blocks.back().size;
        }
        batch.add(rows, row);
        ++state.records;
        state.max_version = int8_at(rows, row, 1);
        state.next_no = no + 1;
      }
      batch.state = state;
    }
  }

  void write() override {
    db_.enter_pipeline();
    for (const Batch& batch : batches_) {
      db_.send("begin", Parameters());
      for (const Block& block : batch.blocks) {
        db_.send("add_block", Parameters(block.first, block.size, stream_));
        db_.send("set_counter", Parameters(block.first + block.size));
      }
      db_.send("add_records",
               Parameters(stream_, batch.numbers[0], batch.numbers[1], batch.numbers[2], batch.numbers[3], batch.consent_time,
                          batch.bytes[0], batch.bytes[1], batch.bytes[2], batch.bytes[3], batch.bytes[4], batch.bytes[5]));
      db_.send("add_changes", Parameters(stream_, batch.whole_record, batch.numbers[1], batch.numbers[0]));
      const StreamState& state = batch.state;
      db_.send("set_stream", Parameters(stream_, state.records, state.max_version, state.next_no, state.block_end));
      db_.send("commit", Parameters());
      db_.finish_pipeline();
    }
  }

  void compare(const Place& other) override {
    BarePostgres ours(place_.location()), theirs(other.location());
    for (const char* table : kTables) {
      const std::string digest = format("SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM {} t", table);
      if (ours.value(digest) != theirs.value(digest)) give_up(format("{} differs between Ladder's store and the floor's", table));
    }
  }

 private:
  struct Batch {
    std::vector<Block> blocks;
    std::array<Int8Array, 4> numbers;  // record_no, version, first_value, value_count
    Int8Array consent_time, whole_record;
    std::array<ByteaArray, 6> bytes;  // key, order_key, emitted_at, digest, field_versions, body
    StreamState state;

    void add(const BareRows& rows, int row) {
      for (int i = 0; i < 4; ++i) numbers[static_cast<std::size_t>(i)].add(int8_at(rows, row, i));
      const bool timed = PQgetisnull(rows.get(), row, 4) == 0;
      consent_time.add(timed ? std::optional(int8_at(rows, row, 4)) : std::nullopt);
      for (int i = 0; i < 6; ++i) bytes[static_cast<std::size_t>(i)].add(bytes_at(rows, row, 5 + i));
      whole_record.add(0);
    }
  };

  static constexpr std::array<std::pair<const char*, const char*>, 7> kStatements = {{
      {"begin", "BEGIN"},
      {"commit", "COMMIT"},
      {"add_records",
       "INSERT INTO records (stream_no, record_no, version, first_value, value_count, consent_time, key, order_key, emitted_at, "
       "digest, "
       "field_versions, body) SELECT $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), "
       "unnest($5::bigint[]), "
       "unnest($6::bigint[]), unnest($7::bytea[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::bytea[]), "
       "unnest($11::bytea[]), unnest($12::bytea[])"},
      {"add_changes",
       "INSERT INTO changes (stream_no, field_no, version, record_no) "
       "SELECT $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[])"},
      {"add_block", "INSERT INTO number_blocks (first_no, size, stream_no) VALUES ($1::bigint, $2::bigint, $3::bigint)"},
      {"set_counter", "UPDATE counters SET next = $1::bigint WHERE name = 'record_no'"},
      {"set_stream",
       "UPDATE streams SET record_count = $2::bigint, max_version = $3::bigint, next_record_no = $4::bigint, block_end = "
       "$5::bigint "
       "WHERE stream_no = $1::bigint"},
  }};

  const Place& place_;
  BarePostgres db_;
  std::deque<Batch> batches_;
  std::int64_t stream_ = 0;
};

std::unique_ptr<Floor> floor_of(const Place& place) {
  if (place.engine() == "sqlite") return std::make_unique<SqliteFloor>(place);
  return std::make_unique<PostgresFloor>(place);
}

double median(std::vector<double> list) {
  std::ranges::sort(list);
  return list[list.size() / 2];
}

void measure(const std::string& engine, const std::string& lines, Report& report) {
  std::vector<double> ladder, bare;
  std::string name;
  std::size_t batches = 0;
  for (int round = 1; round <= kRounds; ++round) {
    const Place place(engine), bare_place(engine);
    name = place.name_in_table();
    progress(format("{}: round {} of {}", name, round, kRounds));
    BatchSizes sizes;
    {
      Scene scene(place, Scene::Set::kUp);
      ladder.push_back(seconds([&] { scene.ingest(lines, sizes); }));
    }
    batches = sizes.get().size();
    Scene(bare_place, Scene::Set::kUp);
    const auto floor = floor_of(bare_place);
    floor->load(place, sizes.get());
    bare.push_back(seconds([&] { floor->write(); }));
    floor->compare(place);
  }
  const double ladder_rate = kRecords / median(ladder), bare_rate = kRecords / median(bare);
  report.at_least(format("{}, batches of {} on average", name, kRecords / static_cast<std::int64_t>(batches)),
                  format("{:.0f} records/s", ladder_rate), format("{:.0f} records/s", bare_rate), ladder_rate / bare_rate,
                  kLeastShare);
}

int run(int argc, char** argv) {
  std::vector<std::string> given;
  const auto engines = engines_to_run(argc, argv, {}, given);
  Report report(format("{} records of {} chars", kRecords, kBodyChars));
  const std::string lines = all_lines();
  for (const std::string& engine : engines) measure(engine, lines, report);
  report.print();
  return report.exit_code();
}

}  // namespace
}  // namespace ladder::bench

int main(int argc, char** argv) { return ladder::bench::run(argc, argv); }
