#include "bare.h"
#include "ingest_floor.h"

#include "base/text/format.h"
#include "store/search/searched_text.h"
#include "text/passages.h"

#include <deque>
#include <ranges>
#include <string>
#include <string_view>
#include <utility>

namespace ladder::bench {
namespace {

using store::postgres::ByteaArray;
using store::postgres::Int8Array;
using store::postgres::Parameters;

constexpr std::uint32_t kTextOid = 25;

// The engine's own full-text index, in a table of the floor.
constexpr const char* kWordTable = "CREATE TABLE floor_words (record_no BIGINT PRIMARY KEY, tsv TSVECTOR NOT NULL)";
constexpr const char* kWordIndex =
    "CREATE INDEX floor_words_gin ON floor_words USING gin (tsv) WITH (fastupdate = on, gin_pending_list_limit = 1024)";

// Formats the words of a short body as a tsvector.
std::string vector_of(std::string_view body, std::string_view field) {
  const store::WordColumn column{0, std::string(field)};
  const auto passages = must(store::short_passages(store::searched_texts(body, {&column, 1})));
  if (passages.size() != 1) give_up("not every record has its words in one row");
  std::string vector;
  int position = 0;
  for (const auto word : std::views::split(passages.front().passage.words, ' ')) {
    vector += format("'{}':{} ", std::string_view(word.begin(), word.end()), ++position);
  }
  return vector;
}

// Writes one statement per table and batch, with the rows as arrays: the fastest way into PostgreSQL except COPY.
class PostgresFloor final : public Floor {
 public:
  explicit PostgresFloor(const ScratchLocation& place) : place_(place), db_(place.location()) {
    db_.execute(kWordTable);
    db_.execute(kWordIndex);
    for (const auto& [name, sql] : kStatements) db_.prepare(name, sql);
  }

  void load(const ScratchLocation& from, const std::vector<std::int64_t>& sizes) override {
    BarePostgres written(from.location());
    written.prepare("records",
                    "SELECT record_no, version, first_value, value_count, word_mask, consent_time, key, order_key, emitted_at, "
                    "digest, field_versions, stored_body, raw_size, sum FROM records ORDER BY record_no");
    const std::vector<store::IndexSpec> indexes = indexes_of(written);
    written.prepare("blocks", "SELECT first_no, size FROM number_blocks ORDER BY first_no");
    const BareRows rows = written.run("records", Parameters());
    const BareRows blocks = written.run("blocks", Parameters());
    const std::string searched = written.value(
        "SELECT convert_from(f.name, 'UTF8') FROM word_columns w JOIN fields f ON f.owner_no = w.owner_no AND f.field_no = "
        "w.field_no"
        " JOIN streams s ON s.owner_no = w.owner_no AND s.stream_no = w.stream_no WHERE s.record_count > 0 LIMIT 1");
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
        const std::string body = raw_of(bytes_at(rows, row, 11), maybe_int8_at(rows, row, 12));
        batch.add(store::index_rows(indexes, bytes_at(rows, row, 6), bytes_at(rows, row, 7), body), no);
        batch.words.add(vector_of(body, searched));
        ++state.records;
        state.max_version = int8_at(rows, row, 1);
        state.next_no = no + 1;
      }
      batch.close_days();
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
      db_.send("add_records", Parameters(stream_, batch.numbers[0], batch.numbers[1], batch.numbers[2], batch.numbers[3],
                                         batch.consent_time, batch.bytes[0], batch.bytes[1], batch.bytes[2], batch.bytes[3],
                                         batch.bytes[4], batch.bytes[5], batch.numbers[4], batch.raw_size, batch.sum));
      db_.send("add_words", Parameters(batch.numbers[0], batch.words));
      db_.send("add_changes", Parameters(stream_, batch.whole_record, batch.numbers[1], batch.numbers[0]));
      if (!batch.entry.empty()) db_.send("add_entries", Parameters(batch.entry_index, batch.entry, batch.entry_record));
      if (!batch.day.empty()) db_.send("count_days", Parameters(batch.day_index, batch.day, batch.day_records));
      const StreamState& state = batch.state;
      db_.send("set_stream", Parameters(stream_, state.records, state.max_version, state.next_no, state.block_end));
      db_.send("commit", Parameters());
      db_.finish_pipeline();
    }
  }

  void compare(const ScratchLocation& other) override {
    BarePostgres ours(place_.location()), theirs(other.location());
    for (const char* table : kTables) {
      const std::string digest = format("SELECT md5(string_agg(t::text, '' ORDER BY t::text)) FROM {} t", table);
      if (ours.value(digest) != theirs.value(digest)) give_up(format("{} differs between Ladder's store and the floor's", table));
    }
  }

 private:
  static std::vector<store::IndexSpec> indexes_of(BarePostgres& db) {
    db.prepare(
        "indexes",
        "SELECT i.index_no, i.kind, f.name FROM indexes i JOIN fields f ON f.owner_no = i.owner_no AND f.field_no = i.field_no");
    const BareRows rows = db.run("indexes", Parameters());
    std::vector<store::IndexSpec> indexes;
    for (int row = 0; row < PQntuples(rows.get()); ++row) {
      const auto kind = static_cast<store::IndexKind>(int8_at(rows, row, 1));
      indexes.push_back({int8_at(rows, row, 0), kind, std::string(bytes_at(rows, row, 2)), std::nullopt});
    }
    if (indexes.empty()) give_up("the stream has no index: there is less to write than the benchmark says");
    return indexes;
  }

  struct Batch {
    std::vector<Block> blocks;
    std::array<Int8Array, 5> numbers;  // record_no, version, first_value, value_count, word_mask
    Int8Array consent_time, raw_size, sum, whole_record;
    store::postgres::Array<kTextOid> words;
    std::array<ByteaArray, 6> bytes;  // key, order_key, emitted_at, digest, field_versions, stored_body
    Int8Array entry_index, entry_record, day_index, day, day_records;
    ByteaArray entry;
    DayCounts days;
    StreamState state;

    void add(const store::IndexRows& rows, std::int64_t no) {
      for (const store::IndexEntry& each : rows.entries) {
        entry_index.add(each.index);
        entry.add(each.bytes);
        entry_record.add(no);
      }
      for (const store::IndexDay& each : rows.days) ++days[each];
    }
    void close_days() {
      for (const auto& [at, records] : days) {
        day_index.add(at.index);
        day.add(at.day);
        day_records.add(records);
      }
    }
    void add(const BareRows& rows, int row) {
      for (int i = 0; i < 5; ++i) numbers[static_cast<std::size_t>(i)].add(int8_at(rows, row, i));
      consent_time.add(maybe_int8_at(rows, row, 5));
      raw_size.add(maybe_int8_at(rows, row, 12));
      sum.add(maybe_int8_at(rows, row, 13));
      for (int i = 0; i < 6; ++i) bytes[static_cast<std::size_t>(i)].add(bytes_at(rows, row, 6 + i));
      whole_record.add(0);
    }
  };

  static constexpr std::array<std::pair<const char*, const char*>, 10> kStatements = {{
      {"begin", "BEGIN"},
      {"commit", "COMMIT"},
      {"add_records",
       "INSERT INTO records (owner_no, stream_no, record_no, version, first_value, value_count, consent_time, key, order_key, "
       "emitted_at, "
       "digest, "
       "field_versions, stored_body, word_mask, raw_size, sum) SELECT 1, $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), "
       "unnest($4::bigint[]), "
       "unnest($5::bigint[]), "
       "unnest($6::bigint[]), unnest($7::bytea[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::bytea[]), "
       "unnest($11::bytea[]), unnest($12::bytea[]), unnest($13::bigint[]), unnest($14::bigint[]), unnest($15::bigint[])"},
      {"add_words", "INSERT INTO floor_words (record_no, tsv) SELECT unnest($1::bigint[]), unnest($2::text[])::tsvector"},
      {"add_changes",
       "INSERT INTO changes (owner_no, stream_no, field_no, version, record_no) "
       "SELECT 1, $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[])"},
      {"add_entries",
       "INSERT INTO index_entries (owner_no, index_no, entry, record_no) "
       "SELECT 1, unnest($1::bigint[]), unnest($2::bytea[]), unnest($3::bigint[])"},
      {"count_days",
       "INSERT INTO index_days (owner_no, index_no, day, records) "
       "SELECT 1, unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bigint[]) "
       "ON CONFLICT (owner_no, index_no, day) DO UPDATE SET records = index_days.records + excluded.records"},
      {"add_block",
       "INSERT INTO number_blocks (owner_no, first_no, size, stream_no) VALUES (1, $1::bigint, $2::bigint, $3::bigint)"},
      {"set_counter",
       "INSERT INTO counters VALUES (1, 'record_no', $1::bigint)"
       " ON CONFLICT (owner_no, name) DO UPDATE SET next = excluded.next"},
      {"set_stream",
       "UPDATE streams SET record_count = $2::bigint, max_version = $3::bigint, next_record_no = $4::bigint, block_end = "
       "$5::bigint "
       "WHERE owner_no = 1 AND stream_no = $1::bigint"},
  }};

  const ScratchLocation& place_;
  BarePostgres db_;
  std::deque<Batch> batches_;
  std::int64_t stream_ = 0;
};

}  // namespace

std::unique_ptr<Floor> postgres_floor(const ScratchLocation& place) { return std::make_unique<PostgresFloor>(place); }

}  // namespace ladder::bench
