#include "store/sqlite/records/index_writer.h"

#include <algorithm>
#include <utility>

namespace ladder::store::sqlite {

Result<std::vector<IndexSpec>> load_indexes(Connection& connection, StreamNo stream) {
  std::vector<IndexSpec> indexes;
  Statement rows = connection.use(Sql::kIndexesOfStream);
  rows.integer(1, stream);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return indexes;
    IndexSpec& index = indexes.emplace_back();
    index.no = rows.integer_at(0);
    index.kind = static_cast<IndexKind>(rows.integer_at(1));
    index.field = rows.bytes_at(2);
    if (!rows.is_null(3)) index.upto = rows.bytes_at(3);
  }
}

Status IndexWriter::load(StreamNo stream) {
  LADDER_TRY(indexes_, load_indexes(connection_, stream));
  return {};
}

Status IndexWriter::add(RecordNo no, std::string_view key, std::string_view order_key, std::string_view body) {
  IndexRows rows = index_rows(indexes_, key, order_key, body);
  for (IndexEntry& entry : rows.entries) new_.push_back({std::move(entry), no});
  rows.entries.clear();
  return write(no, {}, rows);
}

Status IndexWriter::flush() {
  std::ranges::sort(new_, {}, &NewEntry::entry);
  for (const NewEntry& each : new_) LADDER_CHECK(add_entry(each.entry, each.record));
  new_.clear();
  return {};
}

Status IndexWriter::replace(RecordNo no, std::string_view key, const Source& old, const Source& now) {
  LADDER_CHECK(flush());  // the old entries may be among the new ones
  return write(no, index_rows(indexes_, key, old.order_key, old.body), index_rows(indexes_, key, now.order_key, now.body));
}

Status IndexWriter::remove(RecordNo no, std::string_view key, std::string_view order_key, std::string_view body) {
  LADDER_CHECK(flush());
  return write(no, index_rows(indexes_, key, order_key, body), {});
}

Status IndexWriter::index(std::span<const IndexSpec> indexes, RecordNo no, const Source& record) {
  IndexRows rows = index_rows(indexes, {}, record.order_key, record.body);
  rows.blob.reset();  // stored when the record was written
  return write(no, {}, rows);
}

// Both sides are sorted, so one merge finds the entries to drop and to add.
Status IndexWriter::write(RecordNo no, const IndexRows& old, const IndexRows& now) {
  auto gone = old.entries.begin();
  auto come = now.entries.begin();
  while (gone != old.entries.end() || come != now.entries.end()) {
    if (come == now.entries.end() || (gone != old.entries.end() && *gone < *come)) {
      LADDER_CHECK(drop_entry(*gone++));
    } else if (gone == old.entries.end() || *come < *gone) {
      LADDER_CHECK(add_entry(*come++, no));
    } else {
      ++gone;
      ++come;
    }
  }
  for (const IndexDay& day : old.days) --days_[day];
  for (const IndexDay& day : now.days) ++days_[day];
  return write_blob(no, old.blob, now.blob);
}

Status IndexWriter::write_blob(RecordNo no, const std::optional<Digest>& old, const std::optional<Digest>& now) {
  if (old == now) return {};
  if (old) LADDER_CHECK(connection_.use(Sql::kDropBlobRef).blob(1, crypto::view(*old)).integer(2, no).run());
  if (now) LADDER_CHECK(connection_.use(Sql::kAddBlobRef).blob(1, crypto::view(*now)).integer(2, no).run());
  return {};
}

Status IndexWriter::add_entry(const IndexEntry& entry, RecordNo no) {
  return connection_.use(Sql::kAddEntry).integer(1, entry.index).blob(2, entry.bytes).integer(3, no).run();
}

Status IndexWriter::drop_entry(const IndexEntry& entry) {
  return connection_.use(Sql::kDropEntry).integer(1, entry.index).blob(2, entry.bytes).run();
}

Status IndexWriter::save() {
  LADDER_CHECK(flush());
  for (const auto& [day, change] : days_) {
    if (change == 0) continue;
    LADDER_CHECK(connection_.use(Sql::kCountDay).integer(1, day.index).integer(2, day.day).integer(3, change).run());
    if (change < 0) LADDER_CHECK(connection_.use(Sql::kDropEmptyDay).integer(1, day.index).integer(2, day.day).run());
  }
  days_.clear();
  return {};
}

}  // namespace ladder::store::sqlite
