#include "store/postgres/upkeep/damage_check.h"

#include "store/checksums/row_sums.h"
#include "store/postgres/engine/record_rows.h"

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kRecordsAtOnce = 500;
constexpr std::int64_t kChunksAtOnce = 500;

constexpr Statement kStreams{
    "SELECT s.stream_no, convert_to(c.connection_id, 'UTF8'), s.name FROM streams s"
    " JOIN connections c ON c.owner_no = s.owner_no AND c.connection_no = s.connection_no WHERE s.owner_no = :owner"};
constexpr Statement kRecordsAfter{
    "SELECT " LADDER_PG_RECORD_COLUMNS
    ", r.key FROM records r WHERE r.owner_no = :owner AND r.record_no > $1::bigint ORDER BY r.record_no LIMIT $2::bigint"};
constexpr Statement kChunksAfter{
    "SELECT value_id, chunk_no, stored, sum, raw_size FROM chunks WHERE owner_no = :owner AND (value_id, chunk_no) > "
    "($1::bigint, $2::bigint)"
    " AND value_id < $3::bigint ORDER BY value_id, chunk_no LIMIT $4::bigint"};
constexpr Statement kPages{
    "SELECT value_id, first_key, page, sum FROM directory WHERE owner_no = :owner AND value_id BETWEEN $1::bigint AND "
    "$2::bigint"};
constexpr Statement kBlobsAfter{
    "SELECT owner_no, digest, size_bytes, convert_to(mime_type, 'UTF8'), value_id, sum FROM blobs"
    " WHERE owner_no = :owner AND digest > $1::bytea ORDER BY digest LIMIT $2::bigint"};

template <class Use>
Status each_chunk(Connection& connection, ValueId first, ValueId end, Use use) {
  std::string buffer;
  for (std::int64_t value = first, chunk_no = -1;;) {
    LADDER_TRY(const Rows rows, connection.run_one(kChunksAfter, value, chunk_no, end, kChunksAtOnce));
    for (int row = 0; row < rows.size(); ++row) {
      value = rows.int8(row, 0);
      chunk_no = rows.int8(row, 1);
      // A chunk that cannot be decompressed has no bytes, whose checksum never matches.
      const auto bytes = chunk_bytes(stored_at(rows, row, 2, 4), buffer);
      use(value, chunk_no, bytes.value_or(std::string_view()), rows.maybe_int8(row, 3));
    }
    if (rows.size() < kChunksAtOnce) return {};
  }
}

Status check_values(Connection& connection, const RecordRow& record, DamageReport& report) {
  if (record.value_count == 0) return {};
  const ValueId end = record.first_value + record.value_count;
  ValueDamage values(record.body);
  LADDER_CHECK(each_chunk(connection, record.first_value, end,
                          [&](ValueId value, std::int64_t chunk_no, std::string_view bytes, RowSum sum) {
                            values.chunk(value, chunk_no, bytes, sum);
                          }));
  LADDER_TRY(const Rows pages, connection.run_one(kPages, record.first_value, end - 1));
  for (int row = 0; row < pages.size(); ++row) {
    values.page(pages.int8(row, 0), pages.int8(row, 1), pages.bytes(row, 2), pages.maybe_int8(row, 3));
  }
  for (const std::string& field : values.damaged_fields()) report.add_field(record.stream, record.key, field);
  return {};
}

Status check_records(Connection& connection, DamageReport& report, const std::function<void(std::int64_t done)>& tell) {
  std::int64_t done = 0;
  for (RecordNo after = 0;;) {
    LADDER_TRY(const Rows rows, connection.run_one(kRecordsAfter, after, kRecordsAtOnce));
    for (const RecordRow& record : read_page(rows)) {
      after = record.no;
      if (record.damaged) {
        report.add_record(record.stream, record.no, record.key);
      } else {
        LADDER_CHECK(check_values(connection, record, report));
      }
    }
    done += rows.size();
    tell(done);
    if (rows.size() < kRecordsAtOnce) return {};
  }
}

Status check_blobs(Connection& connection, DamageReport& report) {
  for (std::string after;;) {
    LADDER_TRY(const Rows rows, connection.run_one(kBlobsAfter, after, kRecordsAtOnce));
    for (int row = 0; row < rows.size(); ++row) {
      after = rows.text(row, 1);
      const BlobRow blob{.digest = crypto::to_digest(rows.bytes(row, 1)),
                         .size_bytes = rows.int8(row, 2),
                         .mime_type = rows.text(row, 3),
                         .value = rows.int8(row, 4)};
      BlobDamage bytes(blob);
      LADDER_CHECK(each_chunk(
          connection, blob.value, blob.value + 1,
          [&](ValueId, std::int64_t chunk_no, std::string_view chunk, RowSum sum) { bytes.chunk(chunk_no, chunk, sum); }));
      if (bytes.is_damaged() || !holds(rows.maybe_int8(row, 5), blob_sum(rows.int8(row, 0), blob))) report.add_blob(blob.digest);
    }
    if (rows.size() < kRecordsAtOnce) return {};
  }
}

}  // namespace

Result<DamageReport> find_damage(Connection& connection, const std::function<void(std::int64_t done)>& tell) {
  DamageReport report;
  LADDER_TRY(const Rows streams, connection.run_one(kStreams));
  for (int row = 0; row < streams.size(); ++row)
    report.add_stream(streams.int8(row, 0), streams.bytes(row, 1), streams.bytes(row, 2));
  LADDER_CHECK(check_records(connection, report, tell));
  LADDER_CHECK(check_blobs(connection, report));
  return report;
}

}  // namespace ladder::store::postgres
