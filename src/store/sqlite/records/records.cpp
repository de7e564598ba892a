// Writes a batch of records in one transaction, with the fewest statements for each record.
#include "store/index/field_versions.h"
#include "store/long_values/split.h"
#include "store/sqlite/engine/sqlite_store.h"
#include "store/sqlite/records/blob_rows.h"
#include "store/sqlite/records/index_writer.h"
#include "store/sqlite/records/reader.h"
#include "store/sqlite/search/word_writer.h"

#include <algorithm>
#include <utility>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kIdBlock = 4096;
constexpr std::size_t kFlushedRecords = 256;  // per flush of a bulk transaction: some milliseconds less work at its end
constexpr std::size_t kFewRecords = 64;       // a write of fewer records never waits like a bulk write

std::unexpected<Error> unreadable_versions() { return fail(Code::kInternal, "the field versions of a record cannot be read"); }

// The stored state of a record before the current write.
struct Old {
  RecordNo no = 0;
  std::int64_t version = 0;
  Digest digest{};
  std::optional<Instant> consent_time;
  std::string field_versions;
  ValueId first_value = 0;
  std::int64_t value_count = 0;
  std::string order_key;
  std::string emitted_at;
  WordState words;
  std::string body;
  bool head_damaged = false;   // the checksum of the row does not match
  bool body_damaged = false;   // only the checksum of the body does not match
  bool has_true_text = false;  // damaged, but the incoming text is the original one

  bool damaged() const { return head_damaged || body_damaged; }
  WordSource word_source() const { return {no, body, first_value, value_count}; }
};

WordSource word_source(RecordNo no, const RecordWrite& record) {
  return {no, record.body, record.first_value, record.value_count};
}

class BatchWriter {
 public:
  BatchWriter(Connection& connection, const WriteTarget& target, Instant now)
      : connection_(connection), target_(target), now_(now), index_(connection), words_(connection, target.stream) {}

  Status load();
  Result<Outcome> write(RecordWrite& record);
  Status flush();  // writes buffered entries in order, so that less work is left for the end
  Status save();
  const StreamWords& columns() const { return words_.columns(); }
  bool removes_many_words() const { return words_.bytes_removed() >= kMaxRemovedWordBytes; }

 private:
  Result<Outcome> put(RecordWrite& record);
  Result<Outcome> remove(const RecordWrite& record);
  Result<bool> add(RecordWrite& record);  // false when the key is taken
  Result<Outcome> add_staged(RecordWrite& record);
  Result<Outcome> replace(const RecordWrite& record, const Old& old);
  Status repair_head(Old& old, std::string_view key);
  Status restore_chunks(const Old& old, const RecordWrite& record);
  Status repair(Old& old, const RecordWrite& record);
  Result<bool> move_changes(FieldVersions& versions, const RecordWrite& record, const Old& old, std::int64_t version);

  RecordMetadata head_of(const RecordWrite& record, RecordNo no, std::int64_t version, std::string_view field_versions) const {
    return {.no = no,
            .stream = target_.stream,
            .key = record.key,
            .order_key = record.order_key,
            .version = version,
            .digest = crypto::view(record.digest),
            .emitted_at = record.emitted_at,
            .consent_time = record.consent_time,
            .field_versions = field_versions,
            .first_value = record.value_count > 0 ? record.first_value : 0,
            .value_count = record.value_count};
  }
  Result<std::optional<Old>> find(std::string_view key);
  Result<RecordNo> next_number();
  Result<std::int64_t> forget_tombstone(std::string_view key);  // the version that created its record; 0: no tombstone
  Status add_change(FieldNo field, std::int64_t version, RecordNo record);
  Status drop_change(FieldNo field, std::int64_t version);
  Status write_values(const BufferedValues& values);
  Result<bool> attach(const RecordWrite& record);  // false when the staged values are gone or have other word columns
  Status discard_staged(const RecordWrite& record);
  Status kill_values(const Old& old);
  Status kill(ValueId first, std::int64_t count);
  Status forget_blob(const Old& old);  // unless another record of the owner refers to it

  Connection& connection_;
  const WriteTarget& target_;
  const Instant now_;
  IndexWriter index_;
  WordWriter words_;
  ChunkCompressor compressor_;

  std::int64_t record_count_ = 0;
  std::int64_t max_version_ = 0;
  RecordNo next_record_ = 0;
  RecordNo block_end_ = 0;
  bool has_tombstones_ = false;
  bool dirty_ = false;
  bool expect_new_ = true;  // the last record was new: try to insert first
};

Status BatchWriter::load() {
  Statement statement = connection_.use(Sql::kStreamState);
  LADDER_TRY(const bool row, statement.integer(1, target_.stream).step());
  if (!row) return fail(Code::kNotFound, "the stream does not exist in the store: add its connection again");
  record_count_ = statement.integer_at(0);
  max_version_ = statement.integer_at(1);
  next_record_ = statement.integer_at(2);
  block_end_ = statement.integer_at(3);
  has_tombstones_ = statement.integer_at(4) != 0;
  LADDER_CHECK(index_.load(target_.stream));
  return words_.load();
}

Status BatchWriter::flush() { return index_.flush(); }

Status BatchWriter::save() {
  LADDER_CHECK(index_.save());
  LADDER_CHECK(words_.save());
  if (!dirty_) return {};
  return connection_.use(Sql::kSetStreamState)
      .integer(1, target_.stream)
      .integer(2, record_count_)
      .integer(3, max_version_)
      .integer(4, next_record_)
      .integer(5, block_end_)
      .run();
}

Result<Outcome> BatchWriter::write(RecordWrite& record) { return record.is_delete ? remove(record) : put(record); }

Result<Outcome> BatchWriter::put(RecordWrite& record) {
  if (expect_new_ && !record.staged) {
    LADDER_TRY(const bool added, add(record));
    if (added) return Outcome::kAdded;
  }
  LADDER_TRY(std::optional<Old> old, find(record.key));
  expect_new_ = !old;
  if (!old) {
    if (record.staged) return add_staged(record);
    LADDER_TRY(const bool added, add(record));
    if (!added) return fail(Code::kInternal, "a record key is both taken and free");
    return Outcome::kAdded;
  }
  if (old->digest == record.digest && !old->damaged()) {
    LADDER_TRY(const bool intact, values_intact(connection_, old->first_value, old->value_count, old->body));
    old->body_damaged = !intact;
  }
  const bool refused = target_.append_only && old->digest != record.digest && !old->head_damaged;
  if (old->damaged() && !refused) {
    LADDER_CHECK(repair(*old, record));
    return replace(record, *old);
  }
  if (old->digest == record.digest || target_.append_only) {
    LADDER_CHECK(discard_staged(record));
    return old->digest == record.digest ? Outcome::kUnchanged : Outcome::kAppendOnly;
  }
  return replace(record, *old);
}

// The result points into the record, or into `small` if the body was not compressed yet.
StoredBytes stored_body(const RecordWrite& record, std::string& small) {
  if (!record.compressed_body) small = compressed(record.body);
  return stored(record.body, record.compressed_body ? *record.compressed_body : small);
}

Result<bool> BatchWriter::add(RecordWrite& record) {
  LADDER_TRY(const RecordNo no, next_number());
  const std::int64_t version = max_version_ + 1;
  FieldVersions versions;
  versions.created = version;
  if (has_tombstones_) {
    LADDER_TRY(versions.known_since, forget_tombstone(record.key));
  }
  const std::string encoded = versions.encode();
  const RecordMetadata head = head_of(record, no, version, encoded);
  std::string small;
  const StoredBytes body = stored_body(record, small);
  LADDER_CHECK(connection_.use(Sql::kAddRecord)
                   .integer(1, no)
                   .integer(2, target_.stream)
                   .blob(3, record.key)
                   .blob(4, record.order_key)
                   .integer(5, version)
                   .blob(6, crypto::view(record.digest))
                   .text(7, record.emitted_at)
                   .maybe_integer(8, record.consent_time)
                   .blob(9, encoded)
                   .integer(10, head.first_value)
                   .integer(11, record.value_count)
                   .integer(12, words_.mask())
                   .blob(13, body.bytes)
                   .integer(14, record_sum(head, record.body))
                   .maybe_integer(15, body.raw_size)
                   .run());
  if (connection_.rows_changed() == 0) return false;
  dirty_ = true;
  ++next_record_;
  ++record_count_;
  max_version_ = version;
  LADDER_CHECK(add_change(kWholeRecord, version, no));
  LADDER_CHECK(index_.add(no, record.key, record.order_key, record.body));
  LADDER_TRY(const WordState words, words_.add(word_source(no, record), record.values, record.words));
  if (words.text != 0) {
    LADDER_CHECK(connection_.use(Sql::kSetRecordWords).integer(1, no).integer(2, words.mask).integer(3, words.text).run());
  }
  LADDER_CHECK(write_values(record.values));
  return true;
}

Result<Outcome> BatchWriter::add_staged(RecordWrite& record) {
  LADDER_TRY(const bool attached, attach(record));
  if (!attached) return Outcome::kStagingLost;
  LADDER_TRY(const bool added, add(record));
  if (!added) return fail(Code::kInternal, "a record key is both taken and free");
  return Outcome::kAdded;
}

Result<Outcome> BatchWriter::replace(const RecordWrite& record, const Old& old) {
  if (record.staged) {
    LADDER_TRY(const bool attached, attach(record));
    if (!attached) return Outcome::kStagingLost;
  }
  std::optional<FieldVersions> versions = FieldVersions::decode(old.field_versions);
  if (!versions) return unreadable_versions();
  LADDER_TRY(const bool moved, move_changes(*versions, record, old, max_version_ + 1));
  if (moved) {
    ++max_version_;
    dirty_ = true;
  }
  versions->note_emission(old.emitted_at, moved ? std::optional(max_version_) : std::nullopt, record.emitted_at);
  const std::string encoded = versions->encode();
  const RecordMetadata head = head_of(record, old.no, moved ? max_version_ : old.version, encoded);
  LADDER_TRY(const WordState words, words_.replace(old.word_source(), old.words, word_source(old.no, record), record.values));
  std::string small;
  const StoredBytes body = stored_body(record, small);
  LADDER_CHECK(connection_.use(Sql::kSetRecord)
                   .integer(1, old.no)
                   .blob(2, record.order_key)
                   .integer(3, head.version)
                   .blob(4, crypto::view(record.digest))
                   .text(5, record.emitted_at)
                   .maybe_integer(6, record.consent_time)
                   .blob(7, encoded)
                   .integer(8, head.first_value)
                   .integer(9, record.value_count)
                   .integer(10, words.mask)
                   .integer(11, words.text)
                   .blob(12, body.bytes)
                   .integer(13, record_sum(head, record.body))
                   .maybe_integer(14, body.raw_size)
                   .run());
  LADDER_CHECK(index_.replace(old.no, record.key, {old.order_key, old.body}, {record.order_key, record.body}));
  LADDER_CHECK(kill_values(old));
  LADDER_CHECK(write_values(record.values));
  if (old.has_true_text) LADDER_CHECK(restore_chunks(old, record));
  return Outcome::kChanged;
}

// The sweep removes the words of the old values from the word index by their text, so the damaged text is replaced with
// the correct one first.
Status BatchWriter::restore_chunks(const Old& old, const RecordWrite& record) {
  if (old.value_count == 0 || old.value_count != record.value_count) return {};
  return connection_
      .prepare(
          "INSERT OR REPLACE INTO chunks(owner_no, value_id, chunk_no, stored, raw_size) "
          "SELECT owner_no, value_id - ?1 + ?3, chunk_no, stored, raw_size FROM chunks "
          "WHERE owner_no = :owner AND value_id BETWEEN ?1 AND ?2")
      .integer(1, record.first_value)
      .integer(2, record.first_value + record.value_count - 1)
      .integer(3, old.first_value)
      .run();
}

// Moves the change entries of every changed field to `version`. Returns false when no field changed. A body that
// differs only outside its fields (white space, member order) is stored but does not get a new version.
Result<bool> BatchWriter::move_changes(FieldVersions& versions, const RecordWrite& record, const Old& old, std::int64_t version) {
  bool moved = false;
  for (const std::string& name : changed_fields(old.body, record.body)) {
    const auto declared = target_.fields.find(name);
    const FieldNo field = declared == target_.fields.end() ? kUndeclaredField : declared->second;
    std::int64_t& at = versions.changed[field];
    if (at == version) continue;  // several undeclared fields share one entry
    if (at != 0) LADDER_CHECK(drop_change(field, at));
    LADDER_CHECK(add_change(field, version, old.no));
    at = version;
    moved = true;
  }
  return moved;
}

Result<Outcome> BatchWriter::remove(const RecordWrite& record) {
  LADDER_TRY(std::optional<Old> old, find(record.key));
  if (!old) return Outcome::kAbsent;
  if (old->damaged()) LADDER_CHECK(repair(*old, record));
  const std::optional<FieldVersions> versions = FieldVersions::decode(old->field_versions);
  if (!versions) return unreadable_versions();
  dirty_ = true;
  --record_count_;
  LADDER_CHECK(drop_change(kWholeRecord, versions->created));
  for (const auto& [field, version] : versions->changed) LADDER_CHECK(drop_change(field, version));
  LADDER_CHECK(connection_.use(Sql::kDropRecord).integer(1, old->no).run());
  LADDER_CHECK(index_.remove(old->no, record.key, old->order_key, old->body));
  LADDER_CHECK(target_.permanent ? words_.purge(old->word_source(), old->words) : words_.remove(old->word_source(), old->words));
  LADDER_CHECK(kill_values(*old));
  if (target_.drops_blobs) LADDER_CHECK(forget_blob(*old));
  if (target_.permanent) return Outcome::kDeleted;
  has_tombstones_ = true;
  ++max_version_;
  LADDER_CHECK(connection_.use(Sql::kAddTombstone)
                   .integer(1, old->no)
                   .integer(2, target_.stream)
                   .blob(3, record.key)
                   .integer(4, max_version_)
                   .integer(5, versions->first_version())
                   .maybe_integer(6, old->consent_time)
                   .integer(7, now_)
                   .run());
  LADDER_CHECK(add_change(kWholeRecord, max_version_, old->no));
  return Outcome::kDeleted;
}

Result<std::optional<Old>> BatchWriter::find(std::string_view key) {
  Statement row = connection_.use(Sql::kOldRecord);
  LADDER_TRY(const bool found, row.integer(1, target_.stream).blob(2, key).step());
  if (!found) return std::nullopt;
  Old old;
  old.no = row.integer_at(0);
  old.version = row.integer_at(1);
  if (const std::string_view digest = row.bytes_at(2); digest.size() == old.digest.size()) {
    std::ranges::copy(digest, old.digest.begin());
  }
  old.consent_time = row.maybe_integer_at(3);
  old.field_versions = row.bytes_at(4);
  old.first_value = row.integer_at(5);
  old.value_count = row.integer_at(6);
  old.order_key = row.bytes_at(7);
  old.emitted_at = row.bytes_at(8);
  old.words = {static_cast<text::WordColumns>(row.integer_at(9)), row.integer_at(10)};
  const RowSum sum = row.maybe_integer_at(13);
  const RecordMetadata head{.no = old.no,
                            .stream = target_.stream,
                            .key = row.bytes_at(12),
                            .order_key = old.order_key,
                            .version = old.version,
                            .digest = row.bytes_at(2),
                            .emitted_at = old.emitted_at,
                            .consent_time = old.consent_time,
                            .field_versions = old.field_versions,
                            .first_value = old.first_value,
                            .value_count = old.value_count};
  old.head_damaged = !metadata_matches(sum, head) || head.key != key;
  old.body_damaged = !read_body(row, 11, 14, old.body) || !body_matches(sum, old.no, head.key, old.body);
  return old;
}

// Restores the row's fields from the change log. Its value ids cannot be trusted, so they are left to `ladder doctor`:
// freeing the wrong ones would delete another record's values. SQLite's own indexes are rebuilt, because they may
// contain the damaged key.
Status BatchWriter::repair_head(Old& old, std::string_view key) {
  FieldVersions versions;
  {
    Statement changes = connection_.use(Sql::kChangesOfRecord);
    changes.integer(1, target_.stream).integer(2, old.no);
    for (;;) {
      LADDER_TRY(const bool row, changes.step());
      if (!row) break;
      const std::int64_t version = changes.integer_at(1);
      (changes.integer_at(0) == kWholeRecord ? versions.created : versions.changed[changes.integer_at(0)]) = version;
    }
  }
  old.version = versions.created;
  for (const auto& [field, version] : versions.changed) old.version = std::max(old.version, version);
  old.field_versions = versions.encode();
  old.first_value = old.value_count = 0;
  LADDER_CHECK(connection_.execute("REINDEX records"));
  return connection_.prepare("UPDATE records SET key = ?2 WHERE owner_no = :owner AND record_no = ?1")
      .integer(1, old.no)
      .blob(2, key)
      .run();
}

// Repairs a damaged record so that it can be replaced or removed. If the incoming record has the same text, everything
// derived from it is correct. Otherwise the old text is unknown: its field index entries are found by record number,
// and its old words may stay until the word index is rebuilt.
Status BatchWriter::repair(Old& old, const RecordWrite& record) {
  const bool same = !record.is_delete && old.digest == record.digest;
  if (old.head_damaged) LADDER_CHECK(repair_head(old, record.key));
  if (same) {
    old.body = record.body;
    old.order_key = record.order_key;
    old.has_true_text = true;
    return {};
  }
  if (!old.body_damaged) return {};
  old.body = "{}";
  LADDER_CHECK(index_.flush());
  LADDER_CHECK(connection_
                   .prepare("DELETE FROM index_entries WHERE owner_no = :owner AND record_no = ?2 AND index_no IN "
                            "(SELECT index_no FROM indexes WHERE owner_no = :owner AND stream_no = ?1)")
                   .integer(1, target_.stream)
                   .integer(2, old.no)
                   .run());
  return connection_.prepare("DELETE FROM blob_refs WHERE owner_no = :owner AND record_no = ?1").integer(1, old.no).run();
}

// The number for the next new record; add() consumes it.
Result<RecordNo> BatchWriter::next_number() {
  if (next_record_ < block_end_) return next_record_;
  LADDER_TRY(const NumberBlock block, take_block(connection_, target_.stream, NumberKind::kRecords));
  next_record_ = block.first;
  block_end_ = block.end();
  dirty_ = true;
  return next_record_;
}

Result<std::int64_t> BatchWriter::forget_tombstone(std::string_view key) {
  std::int64_t version = 0, created = 0;
  {
    Statement statement = connection_.use(Sql::kDropTombstone);
    LADDER_TRY(const bool row, statement.integer(1, target_.stream).blob(2, key).step());
    if (!row) return 0;
    version = statement.integer_at(0);
    created = statement.integer_at(1);
  }
  LADDER_CHECK(drop_change(kWholeRecord, version));
  return created;
}

Status BatchWriter::add_change(FieldNo field, std::int64_t version, RecordNo record) {
  return connection_.use(Sql::kAddChange)
      .integer(1, target_.stream)
      .integer(2, field)
      .integer(3, version)
      .integer(4, record)
      .run();
}

Status BatchWriter::drop_change(FieldNo field, std::int64_t version) {
  return connection_.use(Sql::kDropChange).integer(1, target_.stream).integer(2, field).integer(3, version).run();
}

Status BatchWriter::write_values(const BufferedValues& values) {
  for (const ChunkRow& chunk : values.chunks)
    LADDER_CHECK(add_chunk(connection_, chunk.value, chunk.chunk_no, chunk.bytes, compressor_));
  for (const DirectoryRow& page : values.directory) LADDER_CHECK(add_directory_page(connection_, page));
  return {};
}

Result<bool> BatchWriter::attach(const RecordWrite& record) {
  if (record.value_count == 0) return true;
  std::int64_t staged_epoch = 0;
  {
    Statement epoch = connection_.use(Sql::kStagedEpoch);
    LADDER_TRY(const bool there, epoch.integer(1, record.first_value).integer(2, record.value_count).step());
    if (!there) return false;
    staged_epoch = epoch.integer_at(0);
  }
  if (!words_.fits(staged_epoch, record.body)) {
    LADDER_CHECK(discard_staged(record));
    return false;
  }
  LADDER_CHECK(connection_.use(Sql::kAttachStaged).integer(1, record.first_value).integer(2, record.value_count).run());
  return connection_.rows_changed() == 1;
}

// Staged values that are not needed: the next sweep removes them without waiting for their lease to expire.
Status BatchWriter::discard_staged(const RecordWrite& record) {
  if (!record.staged || record.value_count == 0) return {};
  return connection_.use(Sql::kKillStaged).integer(1, record.first_value).integer(2, now_).run();
}

Status BatchWriter::kill_values(const Old& old) {
  return old.value_count == 0 ? Status{} : kill(old.first_value, old.value_count);
}

Status BatchWriter::kill(ValueId first, std::int64_t count) {
  return connection_.use(Sql::kAddLoose)
      .integer(1, first)
      .integer(2, count)
      .integer(3, static_cast<std::int64_t>(LooseState::kDead))
      .integer(4, now_)
      .integer(5, 0)
      .integer(6, 0)
      .run();
}

Status BatchWriter::forget_blob(const Old& old) {
  const std::optional<Digest> blob = index_rows({}, {}, {}, old.body).blob;
  return blob ? drop_unused_blob(connection_, *blob, now_) : Status{};
}

}  // namespace

Status SqliteStore::prepare(const WriteTarget& target, RecordWrite& record) {
  if (record.is_delete || !mostly_new_) return {};
  record.compressed_body = compressed(record.body);
  if (const auto columns = stream_words_cache_.of(target.stream)) {
    LADDER_TRY(record.words, columns->cut(record.body));
  }
  return {};
}

Result<std::vector<Outcome>> SqliteStore::write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) {
  const bool in_bulk = target.in_bulk && records.size() >= kFewRecords;
  const WriteKind bulk_kind = target.permanent ? WriteKind::kErasing : WriteKind::kBulk;
  LADDER_TRY(WriteTransaction transaction, writer_.begin(in_bulk ? bulk_kind : WriteKind::kShort));
  transaction.set_owner(target.owner);
  BatchWriter batch(*transaction, target, now);
  LADDER_CHECK(batch.load());
  stream_words_cache_.keep(target.stream, batch.columns());
  std::vector<Outcome> outcomes;
  outcomes.reserve(records.size());
  for (RecordWrite& record : records) {
    LADDER_TRY(const Outcome outcome, batch.write(record));
    outcomes.push_back(outcome);
    if (!in_bulk) continue;
    if (transaction.should_end() || batch.removes_many_words()) break;
    if (outcomes.size() % kFlushedRecords == 0) LADDER_CHECK(batch.flush());
  }
  LADDER_CHECK(batch.save());
  LADDER_CHECK(transaction.commit_bulk());
  const auto unchanged = std::ranges::count(outcomes, Outcome::kUnchanged);
  mostly_new_ = 2 * unchanged <= std::ssize(outcomes);
  return outcomes;
}

Result<ValueId> SqliteStore::reserve_values(OwnerNo owner, std::int64_t count) {
  const MutexLock lock(ids_mutex_);
  UnusedIds& unused = unused_ids_[owner];
  if (unused.end - unused.next < count) {
    const std::int64_t size = std::max(count, kIdBlock);
    LADDER_TRY(WriteTransaction transaction, writer_.begin());
    transaction.set_owner(owner);
    LADDER_TRY(const ValueId first, take_numbers(*transaction, OwnerCounter::kValues, size));
    LADDER_CHECK(transaction.commit());
    unused = {first, first + size};
  }
  return std::exchange(unused.next, unused.next + count);
}

}  // namespace ladder::store::sqlite
