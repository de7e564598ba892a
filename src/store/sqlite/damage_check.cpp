#include "store/sqlite/damage_check.h"

#include "store/sqlite/reader.h"
#include "store/sqlite/store_impl.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

// Calls `use` for every row of a statement.
template <class Use>
Status each_row(Statement& rows, Use use) {
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    LADDER_CHECK(use());
  }
}

template <class Use>
Status each_chunk(Connection& connection, ValueId first, ValueId end, Use use) {
  Statement rows = connection.use(Sql::kChunks);
  rows.integer(1, chunk_row(first, 0)).integer(2, chunk_row(end, 0) - 1);
  return each_row(rows, [&]() -> Status {
    const ValueId value = rows.integer_at(0) >> kChunkNumberBits;
    use(value, rows.integer_at(0) - chunk_row(value, 0), rows.bytes_at(1), rows.maybe_integer_at(2));
    return {};
  });
}

Status check_values(Connection& connection, const RecordRow& record, DamageReport& report) {
  if (record.value_count == 0) return {};
  const ValueId end = record.first_value + record.value_count;
  ValueDamage values(record.body);
  LADDER_CHECK(each_chunk(connection, record.first_value, end,
                          [&](ValueId value, std::int64_t chunk_no, std::string_view bytes, RowSum sum) {
                            values.chunk(value, chunk_no, bytes, sum);
                          }));
  Statement pages = connection.use(Sql::kDirectoryPages);
  pages.integer(1, record.first_value).integer(2, end - 1);
  LADDER_CHECK(each_row(pages, [&]() -> Status {
    values.page(pages.integer_at(0), pages.integer_at(2), pages.bytes_at(1), pages.maybe_integer_at(3));
    return {};
  }));
  for (const std::string& field : values.damaged_fields()) report.add_field(record.stream, record.key, field);
  return {};
}

Status check_records(Connection& connection, DamageReport& report) {
  Statement rows = connection.prepare("SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key, stream_no FROM records");
  return each_row(rows, [&]() -> Status {
    const RecordRow record = record_of(rows, rows.integer_at(kRecordColumns + 1), rows.bytes_at(kRecordColumns));
    if (!record.damaged) return check_values(connection, record, report);
    report.add_record(record.stream, record.no, record.key);
    return {};
  });
}

Status check_blobs(Connection& connection, DamageReport& report) {
  Statement rows = connection.prepare("SELECT owner_no, digest, size_bytes, mime_type, value_id, sum FROM blobs");
  return each_row(rows, [&]() -> Status {
    BlobRow blob{.size_bytes = rows.integer_at(2), .mime_type = rows.string_at(3), .value = rows.integer_at(4)};
    const std::string_view digest = rows.bytes_at(1);
    if (digest.size() == blob.digest.size()) std::ranges::copy(digest, blob.digest.begin());
    BlobDamage bytes(blob);
    LADDER_CHECK(each_chunk(
        connection, blob.value, blob.value + 1,
        [&](ValueId, std::int64_t chunk_no, std::string_view chunk, RowSum sum) { bytes.chunk(chunk_no, chunk, sum); }));
    if (bytes.is_damaged() || !holds(rows.maybe_integer_at(5), blob_sum(rows.integer_at(0), blob))) report.add_blob(blob.digest);
    return {};
  });
}

}  // namespace

Result<DamageReport> find_damage(Connection& connection) {
  DamageReport report;
  {
    Statement rows = connection.prepare(
        "SELECT s.stream_no, c.connection_id, s.name FROM streams s JOIN connections c ON c.connection_no = s.connection_no");
    LADDER_CHECK(each_row(rows, [&]() -> Status {
      report.add_stream(rows.integer_at(0), rows.bytes_at(1), rows.bytes_at(2));
      return {};
    }));
  }
  LADDER_CHECK(check_records(connection, report));
  LADDER_CHECK(check_blobs(connection, report));
  return report;
}

}  // namespace ladder::store::sqlite
