#include "bare.h"
#include "ingest_floor.h"

#include "base/text/format.h"
#include "json/scan/scan.h"
#include "store/postings/posting_block.h"
#include "text/passages.h"

#include <utility>

namespace ladder::bench {
namespace {

class SqliteFloor final : public Floor {
 public:
  explicit SqliteFloor(const ScratchLocation& place) : db_(place.location(), BareSqlite::Access::kWrite) {}

  void load(const ScratchLocation& from, const std::vector<std::int64_t>& batches) override {
    BareSqlite written(from.location(), BareSqlite::Access::kRead);
    sqlite3_stmt* const rows = written.prepare(
        "SELECT record_no, version, first_value, value_count, consent_time, key, order_key, emitted_at, digest, field_versions, "
        "stored_body, word_mask, raw_size, sum FROM records ORDER BY record_no");
    const std::vector<store::IndexSpec> indexes = indexes_of(written);
    while (sqlite3_step(rows) == SQLITE_ROW) {
      const auto number = [&](int column) { return sqlite3_column_int64(rows, column); };
      const auto text = [&](int column) { return std::string(bytes_at(rows, column)); };
      const bool timed = sqlite3_column_type(rows, 4) != SQLITE_NULL;
      records_.push_back({number(0),
                          number(1),
                          number(2),
                          number(3),
                          timed ? std::optional(number(4)) : std::nullopt,
                          text(5),
                          text(6),
                          text(7),
                          text(8),
                          text(9),
                          text(10),
                          number(11),
                          maybe_number_at(rows, 12),
                          maybe_number_at(rows, 13),
                          {},
                          {}});
      Record& record = records_.back();
      const std::string body = raw_of(record.stored_body, record.raw_size);
      record.index_rows = store::index_rows(indexes, record.key, record.order_key, body);
      prepare_words(record, body);
    }
    sqlite3_stmt* const blocks = written.prepare("SELECT first_no, size FROM number_blocks ORDER BY first_no");
    while (sqlite3_step(blocks) == SQLITE_ROW)
      blocks_.push_back({sqlite3_column_int64(blocks, 0), sqlite3_column_int64(blocks, 1)});
    stream_ = std::stoll(written.value("SELECT stream_no FROM streams WHERE record_count > 0"));
    auto record = records_.begin();
    for (const std::int64_t size : batches) {
      Batch& batch = batches_.emplace_back(Batch{size, {}});
      for (std::int64_t i = 0; i < size; ++i, ++record) {
        for (const store::IndexDay& day : record->index_rows.days) ++batch.days[day];
      }
    }
  }

  void write() override {
    StreamState state;
    auto record = records_.begin();
    auto block = blocks_.begin();
    for (const Batch& batch : batches_) {
      db_.run(begin_);
      for (std::int64_t i = 0; i < batch.size; ++i, ++record) {
        if (block != blocks_.end() && record->no == block->first) {
          add_block(*block);
          state.block_end = block->first + block->size;
          ++block;
        }
        add(*record);
        ++state.records;
        state.max_version = record->version;
        state.next_no = record->no + 1;
      }
      for (const auto& [day, more] : batch.days) {
        bind(count_day_, {day.index, day.day, more});
        db_.run(count_day_);
      }
      bind(set_stream_, {stream_, state.records, state.max_version, state.next_no, state.block_end});
      db_.run(set_stream_);
      db_.run(commit_);
    }
  }

  void compare(const ScratchLocation& other) override {
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
  struct Record {
    std::int64_t no, version, first_value, value_count;
    std::optional<std::int64_t> consent_time;
    std::string key, order_key, emitted_at, digest, field_versions, stored_body;
    std::int64_t word_mask;
    std::optional<std::int64_t> raw_size, sum;
    store::IndexRows index_rows;
    std::string words;  // the words of the short body: one row
  };
  struct Batch {
    std::int64_t size;
    DayCounts days;
  };

  static std::vector<store::IndexSpec> indexes_of(BareSqlite& db) {
    std::vector<store::IndexSpec> indexes;
    sqlite3_stmt* const rows = db.prepare(
        "SELECT i.index_no, i.kind, f.name FROM indexes i JOIN fields f ON f.owner_no = i.owner_no AND f.field_no = i.field_no");
    while (sqlite3_step(rows) == SQLITE_ROW) {
      const auto kind = static_cast<store::IndexKind>(sqlite3_column_int64(rows, 1));
      indexes.push_back({sqlite3_column_int64(rows, 0), kind, std::string(bytes_at(rows, 2)), std::nullopt});
    }
    if (indexes.empty()) give_up("the stream has no index: there is less to write than the benchmark says");
    return indexes;
  }

  void prepare_words(Record& record, std::string_view body) {
    const auto text = json::member(body, "body");
    const auto passages = must(text::cut_passages(json::decode_string(json::raw_content(*text))));
    if (passages.size() != 1 || record.word_mask != 1) give_up("a record has its words elsewhere than the floor writes them");
    record.words = passages.front().words;
  }

  static void bind(sqlite3_stmt* statement, std::initializer_list<std::int64_t> numbers) {
    int at = 0;
    for (const std::int64_t number : numbers) sqlite3_bind_int64(statement, ++at, number);
  }
  static void bind(sqlite3_stmt* statement, int at, const std::string& bytes) {
    sqlite3_bind_blob64(statement, at, bytes.data(), bytes.size(), SQLITE_STATIC);
  }

  static void bind(sqlite3_stmt* statement, int at, std::optional<std::int64_t> number) {
    if (number) sqlite3_bind_int64(statement, at, *number);
    else sqlite3_bind_null(statement, at);
  }

  void add_block(const Block& block) {
    bind(add_block_, {block.first, block.size, stream_});
    db_.run(add_block_);
    bind(set_counter_, {block.first + block.size});
    db_.run(set_counter_);
  }

  void add(const Record& record) {
    bind(add_record_, {record.no, stream_, record.version, record.first_value, record.value_count});
    bind(add_record_, 6, record.consent_time);
    bind(add_record_, 7, record.key);
    bind(add_record_, 8, record.order_key);
    sqlite3_bind_text64(add_record_, 9, record.emitted_at.data(), record.emitted_at.size(), SQLITE_STATIC, SQLITE_UTF8);
    bind(add_record_, 10, record.digest);
    bind(add_record_, 11, record.field_versions);
    bind(add_record_, 12, record.stored_body);
    sqlite3_bind_int64(add_record_, 13, record.word_mask);
    bind(add_record_, 14, record.raw_size);
    bind(add_record_, 15, record.sum);
    db_.run(add_record_);
    sqlite3_bind_int64(add_words_, 1, store::first_row(record.no));
    sqlite3_bind_text64(add_words_, 2, record.words.data(), record.words.size(), SQLITE_STATIC, SQLITE_UTF8);
    db_.run(add_words_);
    bind(add_change_, {stream_, 0, record.version, record.no});
    db_.run(add_change_);
    for (const store::IndexEntry& entry : record.index_rows.entries) {
      sqlite3_bind_int64(add_entry_, 1, entry.index);
      bind(add_entry_, 2, entry.bytes);
      sqlite3_bind_int64(add_entry_, 3, record.no);
      db_.run(add_entry_);
    }
  }

  // SQLite's own full-text index, without merging while it is written.
  static sqlite3_stmt* word_table(BareSqlite& db) {
    db.execute(
        "CREATE VIRTUAL TABLE floor_words USING fts5(c0, content='', columnsize=0, detail=full, tokenize='ascii');"
        "INSERT INTO floor_words(floor_words, rank) VALUES('automerge', 0);"
        "INSERT INTO floor_words(floor_words, rank) VALUES('hashsize', 8388608);"
        "INSERT INTO floor_words(floor_words, rank) VALUES('crisismerge', 1000)");
    return db.prepare("INSERT INTO floor_words(rowid, c0) VALUES(?1, ?2)");
  }

  BareSqlite db_;
  sqlite3_stmt* add_words_ = word_table(db_);
  sqlite3_stmt* begin_ = db_.prepare("BEGIN IMMEDIATE");
  sqlite3_stmt* commit_ = db_.prepare("COMMIT");
  sqlite3_stmt* add_record_ = db_.prepare(
      "INSERT INTO records(owner_no, record_no, stream_no, version, first_value, value_count, consent_time, key, order_key, "
      "emitted_at, "
      "digest, "
      "field_versions, stored_body, word_mask, text_no, raw_size, sum) "
      "VALUES(1, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 0, ?14, ?15)");
  sqlite3_stmt* add_change_ =
      db_.prepare("INSERT INTO changes(owner_no, stream_no, field_no, version, record_no) VALUES(1, ?1, ?2, ?3, ?4)");
  sqlite3_stmt* add_entry_ = db_.prepare("INSERT INTO index_entries(owner_no, index_no, entry, record_no) VALUES(1, ?1, ?2, ?3)");
  sqlite3_stmt* count_day_ = db_.prepare(
      "INSERT INTO index_days(owner_no, index_no, day, records) VALUES(1, ?1, ?2, ?3) "
      "ON CONFLICT(owner_no, index_no, day) DO UPDATE SET records = records + excluded.records");
  sqlite3_stmt* add_block_ =
      db_.prepare("INSERT INTO number_blocks(owner_no, first_no, size, stream_no, kind) VALUES(1, ?1, ?2, ?3, 0)");
  sqlite3_stmt* set_counter_ = db_.prepare("INSERT OR REPLACE INTO counters(owner_no, name, next) VALUES(1, 'record_no', ?1)");
  sqlite3_stmt* set_stream_ = db_.prepare(
      "UPDATE streams SET record_count = ?2, max_version = ?3, next_record_no = ?4, block_end = ?5 "
      "WHERE owner_no = 1 AND stream_no = ?1");
  std::vector<Batch> batches_;
  std::vector<Record> records_;
  std::vector<Block> blocks_;
  std::int64_t stream_ = 0;
};

}  // namespace

std::unique_ptr<Floor> sqlite_floor(const ScratchLocation& place) { return std::make_unique<SqliteFloor>(place); }

}  // namespace ladder::bench
