#include "store/upkeep/record_invariants.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "json/scan/scan.h"
#include "store/index/field_versions.h"

#include <algorithm>
#include <iterator>

namespace ladder::store {
namespace {

using sql::Row, sql::Rows, sql::Statement;

constexpr std::int64_t kIdsAtOnce = 1000;

constexpr Statement kCountChanges{
    "SELECT (SELECT count(*) FROM changes WHERE owner_no = :owner), (SELECT count(*) FROM tombstones WHERE owner_no = :owner)"};
constexpr Statement kOtherSets{
    "SELECT first_value, value_count, CASE state WHEN 0 THEN 'staged set ' ELSE 'dead set ' END || first_value FROM loose_values"
    " WHERE owner_no = :owner UNION ALL SELECT value_id, 1, 'the blob in value ' || value_id FROM blobs WHERE owner_no = :owner"};
constexpr Statement kNextValue{"SELECT next FROM counters WHERE owner_no = :owner AND name = 'value_id'"};
// Finds distinct ids by skipping from one to the next, because a long value has many rows.
#define LADDER_IDS_AFTER(table)                                 \
  "WITH RECURSIVE ids(id) AS (SELECT min(value_id) FROM " table \
  " WHERE owner_no = :owner AND value_id > $1 UNION ALL"        \
  " SELECT (SELECT min(value_id) FROM " table                   \
  " WHERE owner_no = :owner AND value_id > ids.id) FROM ids"    \
  " WHERE ids.id IS NOT NULL) SELECT id FROM ids WHERE id IS NOT NULL LIMIT $2"
constexpr Statement kChunkIdsAfter{LADDER_IDS_AFTER("chunks")};
constexpr Statement kPageIdsAfter{LADDER_IDS_AFTER("directory")};

}  // namespace

Status RecordInvariants::check(const CheckedRecord& record, const ExpectChange& change, const ExpectValue& value) {
  const RecordNo no = record.no;
  if (record.digest.size() != Digest{}.size()) report_(format("record {} has a digest of the wrong length", no));
  if (!record.order_key.ends_with(record.key)) report_(format("the order key of record {} does not end with its key", no));
  if (record.body.size() > limits::kRecordRowBytes) report_(format("the row of record {} is larger than a row may be", no));
  if (record.value_count > 0) ranges_.push_back({record.first_value, record.value_count, format("record {}", no)});
  LADDER_CHECK(check_versions(record, change));
  return check_references(record, value);
}

Status RecordInvariants::check_versions(const CheckedRecord& record, const ExpectChange& change) {
  const std::optional<FieldVersions> versions = FieldVersions::decode(record.field_versions);
  if (!versions) {
    report_(format("the field versions of record {} cannot be read", record.no));
    return {};
  }
  std::int64_t newest = versions->created;
  LADDER_CHECK(change(kWholeRecord, versions->created));
  for (const auto& [field, version] : versions->changed) {
    newest = std::max(newest, version);
    LADDER_CHECK(change(field, version));
  }
  expected_changes_ += 1 + std::ssize(versions->changed);
  if (newest != record.version) report_(format("the version of record {} is not that of its newest field", record.no));
  return {};
}

Status RecordInvariants::check_references(const CheckedRecord& record, const ExpectValue& value) {
  std::int64_t references = 0;
  for (json::Members members(record.body); members.next();) {
    if (members.value().kind != json::Kind::kReference) continue;
    ++references;
    const Result<LongRef> ref = parse_reference(members.value().text);
    if (!ref) {
      report_(format("a reference in record {} cannot be read", record.no));
    } else if (!record.owns(ref->id) || ref->text_id != ref->id || ref->chunk_chars <= 0) {
      report_(format("record {} refers to the value {}, which it does not own or which is invalid", record.no, ref->id));
    } else {
      LADDER_CHECK(value(*ref, (ref->size_chars + ref->chunk_chars - 1) / ref->chunk_chars));
    }
  }
  if ((references == 0) != (record.value_count == 0)) {
    report_(format("record {} owns {} long values but refers to {}", record.no, record.value_count, references));
  }
  return {};
}

Status RecordInvariants::finish() {
  LADDER_CHECK(check_change_total());
  LADDER_CHECK(check_owners());
  LADDER_CHECK(check_orphans(kChunkIdsAfter, "chunks"));
  return check_orphans(kPageIdsAfter, "directory pages");
}

// Every expected entry was found, so equal totals prove that there are no others.
Status RecordInvariants::check_change_total() {
  LADDER_TRY(const Rows counts, session_.run_last(kCountChanges));
  const std::int64_t stored = counts[0].integer(0), expected = expected_changes_ + counts[0].integer(1);
  if (stored != expected) {
    report_(format("the change log has {} entries, but the records and deletions require {}", stored, expected));
  }
  return {};
}

Status RecordInvariants::check_owners() {
  LADDER_TRY(const Rows others, session_.run_last(kOtherSets));
  for (int row = 0; row < others.size(); ++row) {
    ranges_.push_back({others[row].integer(0), others[row].integer(1), others[row].text(2)});
  }
  std::ranges::sort(ranges_, {}, &IdRange::first);
  for (std::size_t i = 1; i < ranges_.size(); ++i) {
    if (ranges_[i - 1].end() > ranges_[i].first) {
      report_(format("{} and {} share the value {}", ranges_[i - 1].owner, ranges_[i].owner, ranges_[i].first));
    }
  }
  LADDER_TRY(const Rows next, session_.run_last(kNextValue));
  if (!ranges_.empty() && (next.empty() || ranges_.back().end() > next[0].integer(0))) {
    report_(format("the values of {} would be allocated again", ranges_.back().owner));
  }
  return {};
}

Status RecordInvariants::check_orphans(const Statement& ids_after, std::string_view what) {
  for (ValueId after = 0;;) {
    LADDER_TRY(const Rows ids, session_.run_last(ids_after, after, kIdsAtOnce));
    if (ids.empty()) return {};
    for (int row = 0; row < ids.size(); ++row) {
      after = ids[row].integer(0);
      const auto next = std::ranges::upper_bound(ranges_, after, {}, &IdRange::first);
      if (next == ranges_.begin() || std::prev(next)->end() <= after) {
        report_(format("no record or blob owns the {} of value {}", what, after));
      }
    }
  }
}

}  // namespace ladder::store
