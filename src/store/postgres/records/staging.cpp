// Stages long values that are too large for one short transaction: they are written in pieces under ids that no record
// refers to. The row in loose_values is a lease: every piece renews it under lock, and sweep() removes the set when it
// expires. The passages of searched texts are cut from the chunks and written with them under a hidden text number.
#include "store/postgres/records/staging.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "store/checksums/row_sums.h"
#include "store/postgres/engine/numbers.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/search/word_columns.h"
#include "store/postgres/search/word_rows.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kTransactionBytes = limits::kMiB;  // one transaction: some 280 chunks, well under 50 ms
constexpr std::int64_t kValueBlock = 4096;               // ids reserved at a time, so that most reservations cost nothing

constexpr Statement kInsertChunks{
    "INSERT INTO chunks (owner_no, value_id, chunk_no, stored, raw_size, sum)"
    " SELECT :owner, unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bytea[]), unnest($4::bigint[]), "
    "unnest($5::bigint[])"};
constexpr Statement kInsertPages{
    "INSERT INTO directory (owner_no, value_id, first_key, page, sum)"
    " SELECT :owner, unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bytea[]), unnest($4::bigint[])"};

// Uses the server's clock, because the clocks of machines that share a store may differ.
#define LADDER_PG_NOW "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
constexpr Statement kAddLease{
    "INSERT INTO loose_values (owner_no, first_value, value_count, state, touched_at, stream_no, word_generation, uses)"
    " VALUES (:owner, $1::bigint, $2::bigint, 0, " LADDER_PG_NOW ", $3::bigint, $4::bigint, $5::bigint)"};
constexpr Statement kRenewLease{"UPDATE loose_values SET touched_at = " LADDER_PG_NOW
                                " WHERE owner_no = :owner AND first_value = $1::bigint AND state = 0"};

constexpr Statement kReserveValues{
    "INSERT INTO counters AS c (owner_no, name, next) VALUES (:owner, 'value_id', 1 + $1::bigint)"
    " ON CONFLICT (owner_no, name) DO UPDATE SET next = c.next + $1::bigint RETURNING next - $1::bigint"};

constexpr Statement kFindLayout{R"(
  SELECT s.word_generation, (SELECT m.value FROM meta m WHERE m.key = 'words_version') FROM streams s WHERE s.owner_no = :owner AND s.stream_no = $1::bigint)"};
constexpr Statement kFindWordColumns{kFindWordColumnsSql};

constexpr Statement kLockTexts{
    "SELECT next_text, text_end FROM streams WHERE owner_no = :owner AND stream_no = $1::bigint FOR NO KEY UPDATE"};

// The stream and columns for the words of staged texts.
struct TextTarget {
  StreamNo stream = 0;
  StreamWords words;
};

class PostgresStaging final : public Staging {
 public:
  PostgresStaging(Pool& pool, ValueId first, TextTarget target)
      : pool_(pool),
        first_(first),
        target_(std::move(target)),
        words_(target_.words.owner),
        writer_(words_, {.record = 0, .loose = first}, [this] { return take_text(pool_, target_.words.owner, target_.stream); }) {
  }

  Status begin_text(ValueId value, std::string_view field) override {
    LADDER_CHECK(end_text());
    const auto column = std::ranges::find(target_.words.written, field, &WordColumn::field);
    if (column == target_.words.written.end()) return {};
    text_ = value;
    cutter_.emplace([this, number = column->column](text::Passage&& passage) {
      return writer_.add(cursor_, text_, number, std::move(passage));
    });
    return {};
  }

  Status put_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) override {
    if (cutter_ && value == text_) LADDER_CHECK(cutter_->feed(bytes));
    rows_.add_raw_chunk(value, chunk_no, bytes);  // staged values are not compressed (design D31)
    return is_full() ? flush() : Status();
  }
  Status put_directory_page(ValueId value, std::int64_t first, std::string_view page) override {
    rows_.add_page(value, first, page);
    return is_full() ? flush() : Status();
  }
  Status finish() override {
    LADDER_CHECK(end_text());
    return rows_.empty() && words_.empty() ? Status() : flush();
  }

 private:
  bool is_full() const { return rows_.bytes() >= kTransactionBytes || words_.bytes() >= kWordBytes; }

  Status end_text() {
    if (cutter_) LADDER_CHECK(cutter_->finish());
    cutter_.reset();
    return {};
  }

  Status flush() {
    Status flushed = pool_.run(target_.words.owner, [&](Connection& connection) -> Status {
      connection.begin();
      LADDER_TRY(const bool renewed, renew_lease(connection, first_));
      if (!renewed) {
        return fail(Code::kStoreUnavailable,
                    format("the upload of a value made no progress for over {} s and was removed: send the record again",
                           limits::kStagingLeaseS));
      }
      rows_.queue(connection);
      LADDER_CHECK(words_.write(connection));
      LADDER_TRY(const auto written, connection.commit());
      return {};
    });
    LADDER_CHECK(flushed);
    rows_.clear();
    words_ = WordRows(target_.words.owner);
    return {};
  }

  Pool& pool_;
  const ValueId first_;
  const TextTarget target_;
  ValueRows rows_;
  WordRows words_;
  TextWriter writer_;
  TextCursor cursor_;
  ValueId text_ = 0;  // the text that is being cut
  std::optional<text::PassageCutter> cutter_;
};

Result<TextTarget> find_target(Connection& connection, StreamNo stream) {
  TextTarget target;
  target.words.owner = connection.owner();
  if (stream == 0) return target;
  connection.add(kFindLayout, stream);
  connection.add(kFindWordColumns, stream);
  LADDER_TRY(const auto answers, connection.run());
  const Rows& layout = answers[0];
  if (layout.empty()) return fail(Code::kNotFound, "the stream does not exist in the store: add its connection again");
  LADDER_CHECK(check_words_version(layout.bytes(0, 1)));
  target.stream = stream;
  target.words = read_stream_words(connection.owner(), layout.int8(0, 0), answers[1]);
  return target;
}

}  // namespace

void queue_lease(Connection& connection, const StagedSet& set) {
  connection.add(kAddLease, set.first, set.count, set.stream, set.generation, set.uses);
}

Result<TextNo> take_text(Pool& pool, OwnerNo owner, StreamNo stream) {
  return pool.run(owner, [&](Connection& connection) -> Result<TextNo> {
    connection.begin();
    LADDER_TRY(const Rows locked, connection.run_last(kLockTexts, stream));
    if (locked.empty()) return fail(Code::kNotFound, "the stream does not exist in the store: add its connection again");
    TextNumbers numbers(connection, stream, {locked.int8(0, 0), locked.int8(0, 1)});
    LADDER_TRY(const TextNo text, numbers.take());
    numbers.queue_update();
    LADDER_TRY(const auto taken, connection.commit());
    return text;
  });
}

Result<bool> renew_lease(Connection& connection, ValueId first) {
  LADDER_TRY(const Rows lease, connection.run_last(kRenewLease, first));
  return lease.affected() > 0;
}

void ValueRows::add_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) {
  add_chunk_row(value, chunk_no, bytes, compressor_.store(value, bytes));
}

void ValueRows::add_raw_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) {
  add_chunk_row(value, chunk_no, bytes, {bytes, std::nullopt});
}

void ValueRows::add_chunk_row(ValueId value, std::int64_t chunk_no, std::string_view bytes, const StoredBytes& row) {
  chunk_values_.add(value);
  chunk_numbers_.add(chunk_no);
  chunk_bytes_.add(row.bytes);
  chunk_raw_sizes_.add(row.raw_size);
  chunk_sums_.add(chunk_sum(value, chunk_no, bytes));
}

void ValueRows::add_page(ValueId value, std::int64_t first, std::string_view page) {
  page_values_.add(value);
  page_keys_.add(first);
  page_bytes_.add(page);
  page_sums_.add(page_sum(value, first, page));
}

void ValueRows::queue(Connection& connection) const {
  if (!chunk_values_.empty())
    connection.add(kInsertChunks, chunk_values_, chunk_numbers_, chunk_bytes_, chunk_raw_sizes_, chunk_sums_);
  if (!page_values_.empty()) connection.add(kInsertPages, page_values_, page_keys_, page_bytes_, page_sums_);
}

Result<ValueId> PostgresStore::reserve_values(OwnerNo owner, std::int64_t count) {
  const MutexLock lock(values_mutex_);
  UnusedNumbers& unused = unused_values_[owner];
  if (unused.end - unused.next < count) {
    const std::int64_t block = std::max(count, kValueBlock);
    LADDER_TRY(const ValueId first, pool_.run(owner, [&](Connection& connection) -> Result<ValueId> {
      LADDER_TRY(const Rows rows, connection.run_one(kReserveValues, block));
      return rows.int8(0, 0);
    }));
    unused = {first, first + block};
  }
  return std::exchange(unused.next, unused.next + count);
}

Result<std::unique_ptr<Staging>> PostgresStore::stage(OwnerNo owner, ValueId first, std::int64_t count, StreamNo stream) {
  return pool_.run(owner, [&](Connection& connection) -> Result<std::unique_ptr<Staging>> {
    connection.begin();
    LADDER_TRY(const auto begun, connection.run());
    LADDER_TRY(TextTarget target, find_target(connection, stream));
    queue_lease(
        connection,
        {.first = first, .count = count, .stream = target.words.written.empty() ? 0 : stream, .generation = target.words.epoch});
    LADDER_TRY(const auto added, connection.commit());
    return std::make_unique<PostgresStaging>(pool_, first, std::move(target));
  });
}

}  // namespace ladder::store::postgres
