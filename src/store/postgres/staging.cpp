// Long values that are too large for one short transaction: written piece by piece under ids that no record points at. The row
// in loose_values is the lease: every piece renews it under lock, and sweep() takes it away when it is over.
#include "store/postgres/staging.h"

#include "base/format.h"
#include "base/limits.h"
#include "store/postgres/postgres_store.h"

#include <algorithm>

namespace ladder::store::postgres {
namespace {

constexpr std::size_t kPieceBytes = limits::kMiB;  // one transaction: some 280 chunks, well under 50 ms
constexpr std::int64_t kValueBlock = 4096;         // ids reserved at a time, so that most reservations cost nothing

constexpr Statement kInsertChunks{
    "INSERT INTO chunks (value_id, chunk_no, bytes) SELECT unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bytea[])"};
constexpr Statement kInsertPages{
    "INSERT INTO directory (value_id, first_key, page) SELECT unnest($1::bigint[]), unnest($2::bigint[]), unnest($3::bytea[])"};

// The server's clock, since machines that share a store may disagree.
#define LADDER_PG_NOW "(extract(epoch FROM clock_timestamp()) * 1000000)::bigint"
constexpr Statement kAddLease{
    "INSERT INTO loose_values (first_value, value_count, state, touched_at) VALUES ($1::bigint, $2::bigint, 0, " LADDER_PG_NOW
    ")"};
constexpr Statement kRenewLease{"UPDATE loose_values SET touched_at = " LADDER_PG_NOW
                                " WHERE first_value = $1::bigint AND state = 0"};

constexpr Statement kReserveValues{
    "UPDATE counters SET next = next + $1::bigint WHERE name = 'value_id' RETURNING next - $1::bigint"};

class PostgresStaging final : public Staging {
 public:
  PostgresStaging(Pool& pool, ValueId first) : pool_(pool), first_(first) {}

  Status put_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) override {
    rows_.add_chunk(value, chunk_no, bytes);
    return rows_.bytes() < kPieceBytes ? Status() : flush();
  }
  Status put_directory_page(ValueId value, std::int64_t first, std::string_view page) override {
    rows_.add_page(value, first, page);
    return rows_.bytes() < kPieceBytes ? Status() : flush();
  }
  Status finish() override { return rows_.empty() ? Status() : flush(); }

 private:
  Status flush() {
    LADDER_CHECK(pool_.run([&](Connection& connection) -> Status {
      connection.begin();
      LADDER_TRY(const Rows lease, connection.run_one(kRenewLease, first_));
      if (lease.affected() == 0) {
        return fail(
            Code::kStoreUnavailable,
            format("a value that was being stored stood still for over {} s and was swept as abandoned: send the record again",
                   limits::kStagingLeaseS));
      }
      rows_.queue(connection);
      LADDER_TRY(const auto written, connection.commit());
      return {};
    }));
    rows_.clear();
    return {};
  }

  Pool& pool_;
  const ValueId first_;
  ValueRows rows_;
};

}  // namespace

void ValueRows::add_chunk(ValueId value, std::int64_t chunk_no, std::string_view bytes) {
  chunk_values_.add(value);
  chunk_numbers_.add(chunk_no);
  chunk_bytes_.add(bytes);
}

void ValueRows::add_page(ValueId value, std::int64_t first, std::string_view page) {
  page_values_.add(value);
  page_keys_.add(first);
  page_bytes_.add(page);
}

void ValueRows::queue(Connection& connection) const {
  if (!chunk_values_.empty()) connection.add(kInsertChunks, chunk_values_, chunk_numbers_, chunk_bytes_);
  if (!page_values_.empty()) connection.add(kInsertPages, page_values_, page_keys_, page_bytes_);
}

Result<ValueId> PostgresStore::reserve_values(std::int64_t count) {
  const std::lock_guard lock(values_mutex_);
  if (values_end_ - next_value_ < count) {
    const std::int64_t block = std::max(count, kValueBlock);
    LADDER_TRY(const ValueId first, pool_.run([&](Connection& connection) -> Result<ValueId> {
      LADDER_TRY(const Rows rows, connection.run_one(kReserveValues, block));
      return rows.int8(0, 0);
    }));
    next_value_ = first;
    values_end_ = first + block;
  }
  const ValueId first = next_value_;
  next_value_ += count;
  return first;
}

Result<std::unique_ptr<Staging>> PostgresStore::stage(ValueId first, std::int64_t count, StreamNo /*stream*/) {
  return pool_.run([&](Connection& connection) -> Result<std::unique_ptr<Staging>> {
    connection.begin();
    LADDER_TRY(const auto begun, connection.run());
    connection.add(kAddLease, first, count);
    LADDER_TRY(const auto added, connection.commit());
    return std::make_unique<PostgresStaging>(pool_, first);
  });
}

}  // namespace ladder::store::postgres
