#include "store/postgres/upkeep/damage_check.h"

#include "json/scan/scan.h"
#include "store/long_values/long_value.h"
#include "store/postgres/records/record_rows.h"
#include "store/row_sums.h"

#include <algorithm>
#include <map>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kValueChunksAtOnce = 256;  // of a value: 1 MB

// $1, $2: first and last value of each record; $3, $4: first and last chunk. The ordinal identifies the record.
constexpr Statement kChunksOf{R"(
  SELECT w.place, c.value_id, c.chunk_no, c.stored, c.sum, c.raw_size
  FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(first, last, place),
       LATERAL (SELECT * FROM chunks WHERE owner_no = :owner AND value_id BETWEEN w.first AND w.last
                AND chunk_no BETWEEN $3::bigint AND $4::bigint OFFSET 0) AS c)"};
constexpr Statement kPagesOf{R"(
  SELECT w.place, d.value_id, d.first_key, d.page, d.sum
  FROM unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS w(first, last, place),
       LATERAL (SELECT * FROM directory WHERE owner_no = :owner AND value_id BETWEEN w.first AND w.last OFFSET 0) AS d)"};

struct Ranges {
  Int8Array first, last;
  std::vector<StoredValues*> owners;

  void add(StoredValues* values) {
    first.add(values->first);
    last.add(values->first + values->count - 1);
    owners.push_back(values);
  }
  StoredValues& owner(const Rows& rows, int row) const { return *owners[static_cast<std::size_t>(rows.int8(row, 0) - 1)]; }
};

// Returns whether every text that the body refers to is complete.
bool is_complete(const StoredValues& values, const std::map<ValueId, std::int64_t>& bytes) {
  for (json::Members members(values.body); members.next();) {
    if (members.value().kind != json::Kind::kReference) continue;
    const auto ref = parse_reference(members.value().text);
    if (!ref) return false;
    const auto found = bytes.find(ref->text_id);
    if ((found == bytes.end() ? 0 : found->second) != ref->size_bytes) return false;
  }
  return true;
}

}  // namespace

Status check_values(Connection& connection, std::span<StoredValues> values) {
  Ranges all;
  for (StoredValues& each : values) {
    if (each.count > 0) all.add(&each);
  }
  std::map<ValueId, std::int64_t> bytes;
  std::string buffer;
  Ranges asked = all;
  for (std::int64_t from = 0; !asked.owners.empty(); from += kValueChunksAtOnce) {
    LADDER_TRY(const Rows rows, connection.run_one(kChunksOf, asked.first, asked.last, from, from + kValueChunksAtOnce - 1));
    std::vector<StoredValues*> longer;
    for (int row = 0; row < rows.size(); ++row) {
      StoredValues& owner = asked.owner(rows, row);
      const std::int64_t chunk_no = rows.int8(row, 2);
      const auto text = intact_chunk(stored_at(rows, row, 3, 5), rows.maybe_int8(row, 4), rows.int8(row, 1), chunk_no, buffer);
      if (!text) owner.intact = false;
      bytes[rows.int8(row, 1)] += text ? std::ssize(*text) : 0;
      if (chunk_no == from + kValueChunksAtOnce - 1 && std::ranges::find(longer, &owner) == longer.end())
        longer.push_back(&owner);
    }
    asked = {};
    for (StoredValues* const each : longer) asked.add(each);
  }
  if (all.owners.empty()) return {};
  LADDER_TRY(const Rows pages, connection.run_one(kPagesOf, all.first, all.last));
  for (int row = 0; row < pages.size(); ++row) {
    if (!holds(pages.maybe_int8(row, 4), page_sum(pages.int8(row, 1), pages.int8(row, 2), pages.bytes(row, 3)))) {
      all.owner(pages, row).intact = false;
    }
  }
  for (StoredValues* const each : all.owners) each->intact = each->intact && is_complete(*each, bytes);
  return {};
}

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
