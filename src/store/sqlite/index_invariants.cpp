#include "store/sqlite/index_invariants.h"

#include "base/format.h"
#include "store/sqlite/index_writer.h"

namespace ladder::store::sqlite {

Status IndexCheck::none(const char* sql, std::string_view fault) {
  Statement rows = connection_.prepare(sql);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    fault_(format("{}: {}", fault, rows.bytes_at(0)));
  }
}

Status IndexCheck::start() {
  LADDER_CHECK(
      none("SELECT i.index_no FROM indexes i LEFT JOIN streams s ON s.stream_no = i.stream_no "
           "LEFT JOIN connections c ON c.connection_no = s.connection_no "
           "LEFT JOIN fields f ON f.field_no = i.field_no AND f.source_no = c.source_no AND f.stream = s.name "
           "WHERE f.field_no IS NULL OR f.index_kind <> i.kind",
           "an index is not the one its field asks for"));
  LADDER_CHECK(
      none("SELECT s.stream_no FROM streams s JOIN connections c ON c.connection_no = s.connection_no "
           "JOIN fields f ON f.source_no = c.source_no AND f.stream = s.name WHERE f.index_kind <> 0 AND NOT EXISTS "
           "(SELECT 1 FROM indexes i WHERE i.stream_no = s.stream_no AND i.field_no = f.field_no)",
           "a stream lacks an index that one of its fields asks for"));
  LADDER_CHECK(
      none("SELECT index_no FROM (SELECT index_no FROM indexes UNION ALL SELECT index_no FROM dead_indexes) "
           "WHERE index_no >= (SELECT value FROM meta WHERE key = 'next_index')",
           "an index has a number that would be handed out again"));
  LADDER_CHECK(none("SELECT index_no FROM dead_indexes WHERE index_no IN (SELECT index_no FROM indexes)",
                    "an index is both there and dropped"));
  std::vector<StreamNo> streams;
  {
    Statement rows = connection_.prepare("SELECT DISTINCT stream_no FROM indexes");
    for (;;) {
      LADDER_TRY(const bool row, rows.step());
      if (!row) break;
      streams.push_back(rows.integer_at(0));
    }
  }
  for (const StreamNo stream : streams) {
    LADDER_TRY(indexes_[stream], load_indexes(connection_, stream));
  }
  return {};
}

Status IndexCheck::record(RecordNo no, StreamNo stream, std::string_view key, std::string_view order_key, std::string_view body) {
  const auto indexes = indexes_.find(stream);
  const std::span<const IndexSpec> specs =
      indexes == indexes_.end() ? std::span<const IndexSpec>{} : std::span<const IndexSpec>(indexes->second);
  const IndexRows rows = index_rows(specs, key, order_key, body);
  for (const IndexEntry& expected : rows.entries) LADDER_CHECK(entry(no, expected));
  for (const IndexDay& day : rows.days) ++days_[day];
  return rows.blob ? blob(no, *rows.blob) : Status{};
}

Status IndexCheck::entry(RecordNo no, const IndexEntry& entry) {
  ++entries_[entry.index];
  Statement row = connection_.use(Sql::kEntryOwner);
  LADDER_TRY(const bool found, row.integer(1, entry.index).blob(2, entry.bytes).step());
  if (!found || row.integer_at(0) != no) fault_(format("index {} has no entry for record {}", entry.index, no));
  return {};
}

Status IndexCheck::blob(RecordNo no, const Digest& digest) {
  ++blobs_;
  Statement row = connection_.use(Sql::kBlobRef);
  LADDER_TRY(const bool found, row.blob(1, crypto::view(digest)).integer(2, no).step());
  if (!found) fault_(format("the blob that record {} refers to does not know of it", no));
  return {};
}

Status IndexCheck::finish() {
  LADDER_CHECK(entry_totals());
  LADDER_CHECK(days());
  return blob_totals();
}

Status IndexCheck::entry_totals() {
  LADDER_CHECK(
      none("SELECT DISTINCT index_no FROM index_entries WHERE index_no NOT IN (SELECT index_no FROM indexes) "
           "AND index_no NOT IN (SELECT index_no FROM dead_indexes)",
           "entries belong to an index that does not exist"));
  Statement rows = connection_.prepare(
      "SELECT i.index_no, (SELECT count(*) FROM index_entries e WHERE e.index_no = i.index_no) FROM indexes i");
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return {};
    const std::int64_t expected = entries_[rows.integer_at(0)];
    if (rows.integer_at(1) == expected) continue;
    fault_(format("index {} has {} entries where the records ask for {}", rows.integer_at(0), rows.integer_at(1), expected));
  }
}

Status IndexCheck::days() {
  Statement rows = connection_.prepare(
      "SELECT index_no, day, records FROM index_days WHERE index_no NOT IN (SELECT index_no FROM dead_indexes)");
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) break;
    const IndexDay day{rows.integer_at(0), rows.integer_at(1)};
    const auto expected = days_.find(day);
    const std::int64_t count = expected == days_.end() ? 0 : expected->second;
    if (expected != days_.end()) days_.erase(expected);
    if (count == 0 || rows.integer_at(2) != count) {
      fault_(format("index {} counts {} records for day {} where there are {}", day.index, rows.integer_at(2), day.day, count));
    }
  }
  for (const auto& [day, count] : days_) {
    fault_(format("index {} counts no records for day {} where there are {}", day.index, day.day, count));
  }
  return {};
}

Status IndexCheck::blob_totals() {
  LADDER_TRY(const std::int64_t stored, connection_.read_integer("SELECT count(*) FROM blob_refs"));
  if (stored != blobs_) fault_(format("{} references to blobs are known where the records have {}", stored, blobs_));
  return {};
}

}  // namespace ladder::store::sqlite
