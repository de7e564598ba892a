// Reads the change log. Every field has its own ascending list of versions. A reader merges the lists of the fields it
// may see with the list of creations and deletions, and takes each record once, at its newest version among them (design D20).
#include "store/index/field_versions.h"
#include "store/sqlite/records/reader.h"

#include <algorithm>
#include <limits>

namespace ladder::store::sqlite {

Result<std::vector<ChangeRow>> SqliteReader::changes(StreamNo stream, std::span<const FieldNo> fields, std::int64_t since,
                                                     std::int64_t upto, std::int64_t limit) {
  LADDER_CHECK(begin());
  std::vector<FieldNo> wanted(fields.begin(), fields.end());
  wanted.push_back(kWholeRecord);
  std::ranges::sort(wanted);
  wanted.erase(std::ranges::unique(wanted).begin(), wanted.end());

  std::vector<ChangeRow> rows;
  std::vector<Change> merged;
  while (static_cast<std::int64_t>(rows.size()) < limit) {
    LADDER_TRY(const std::int64_t horizon, merge_changes(merged, stream, wanted, since, upto, limit));
    for (const Change& change : merged) {
      if (static_cast<std::int64_t>(rows.size()) == limit) break;
      LADDER_TRY(std::optional<ChangeRow> row, newest_change(change, wanted));
      if (row) rows.push_back(*std::move(row));
    }
    if (horizon == std::numeric_limits<std::int64_t>::max()) break;
    since = horizon;
  }
  return rows;
}

Result<std::int64_t> SqliteReader::merge_changes(std::vector<Change>& merged, StreamNo stream, std::span<const FieldNo> fields,
                                                 std::int64_t since, std::int64_t upto, std::int64_t limit) {
  merged.clear();
  std::int64_t horizon = std::numeric_limits<std::int64_t>::max();
  for (const FieldNo field : fields) {
    Statement statement = connection_->use(Sql::kChangesOfField);
    statement.integer(1, stream).integer(2, field).integer(3, since).integer(4, limit).integer(5, upto);
    std::int64_t taken = 0;
    for (;; ++taken) {
      LADDER_TRY(const bool row, statement.step());
      if (!row) break;
      merged.push_back({statement.integer_at(0), statement.integer_at(1)});
    }
    if (taken == limit && limit > 0) horizon = std::min(horizon, merged.back().version);  // this field may have more
  }
  std::erase_if(merged, [&](const Change& change) { return change.version > horizon; });
  std::ranges::sort(merged, {}, &Change::version);
  // One change of several fields has one version.
  merged.erase(std::ranges::unique(merged, {}, &Change::version).begin(), merged.end());
  return horizon;
}

Result<std::optional<ChangeRow>> SqliteReader::newest_change(const Change& change, std::span<const FieldNo> fields) {
  {
    Statement live = connection_->use(Sql::kChangedRecord);
    LADDER_TRY(const bool row, live.integer(1, change.record).step());
    if (row) {
      const RecordMetadata head = head_of(live, live.integer_at(kRecordColumns + 1), live.bytes_at(kRecordColumns));
      const std::optional<FieldVersions> versions = FieldVersions::decode(head.field_versions);
      if (!versions || !metadata_matches(live.maybe_integer_at(kSumColumn), head)) {
        return std::unexpected(damaged_record(change.record));
      }
      std::int64_t newest = versions->created;
      for (const FieldNo field : fields) {
        if (const auto changed = versions->changed.find(field); changed != versions->changed.end()) {
          newest = std::max(newest, changed->second);
        }
      }
      if (newest != change.version) return std::nullopt;
      ChangeRow found;
      found.version = change.version;
      found.created = versions->created;
      found.key = head.key;
      return found;
    }
  }
  Statement dead = connection_->use(Sql::kDeletedRecord);
  LADDER_TRY(const bool row, dead.integer(1, change.record).step());
  if (!row || dead.integer_at(1) != change.version) return std::nullopt;
  return ChangeRow{.version = change.version,
                   .created = dead.integer_at(3),
                   .key = dead.string_at(0),
                   .deleted = true,
                   .deleted_at = dead.integer_at(2),
                   .consent_time = dead.maybe_integer_at(4)};
}

}  // namespace ladder::store::sqlite
