#include "store/postgres/records/write_rows.h"

#include "store/checksums/row_sums.h"
#include "store/postgres/records/index_rows.h"
#include "store/postgres/records/staging.h"

#include <algorithm>

namespace ladder::store::postgres {
namespace {

bool is_untouched(const KeyPlan& key) {
  return key.after.kind == key.before.kind && key.after.no == key.before.no && key.after.write == key.before.write;
}

// Resolves the numbers of new records (KeyState::no).
RecordNo number_of(RecordNo no, std::span<const RecordNo> numbers) {
  return no >= 0 ? no : numbers[static_cast<std::size_t>(-1 - no)];
}

WordSource source_of(const KeyState& state, RecordNo no) { return {no, state.body(), state.first_value, state.value_count}; }

Result<WordState> words_of_key(const WritePlan& plan, const KeyPlan& key, std::span<const RecordNo> numbers, WordWriter& writer) {
  const KeyState &before = key.before, &after = key.after;
  const WordState was{before.word_mask, before.text};
  if (is_untouched(key)) return was;
  const WordSource old = source_of(before, before.no);
  if (!after.live()) {
    if (before.live()) LADDER_CHECK(writer.remove(old, was));
    return WordState{};
  }
  const WordSource now = source_of(after, number_of(after.no, numbers));
  const BufferedValues* const values = after.write->staged ? nullptr : &after.write->values;
  const StagedText staged{after.first_value, after.write->staged ? plan.staged_text(after.first_value) : 0};
  if (before.live() && before.no == after.no) return writer.replace(old, was, now, values, staged);
  if (before.live()) LADDER_CHECK(writer.remove(old, was));
  return writer.add(now, values, staged);
}

}  // namespace

Result<std::vector<WordState>> plan_words(const WritePlan& plan, std::span<const RecordNo> numbers, TextNumbers& texts,
                                          WordRows& rows) {
  WordWriter writer(rows, plan.words(), texts);
  std::vector<WordState> words;
  words.reserve(plan.keys().size());
  for (const KeyPlan& key : plan.keys()) {
    LADDER_TRY(const WordState state, words_of_key(plan, key, numbers, writer));
    words.push_back(state);
  }
  return words;
}

namespace {

// One index lookup per entry, independent of planner statistics. The stream is locked, so no other writer changes its entries.
constexpr Statement kDropChanges{R"(
  DELETE FROM changes WHERE ctid = ANY (ARRAY(
    SELECT c.ctid
    FROM (SELECT unnest($2::bigint[]) AS field_no, unnest($3::bigint[]) AS version) AS w,
         LATERAL (SELECT ctid FROM changes
                  WHERE owner_no = :owner AND stream_no = $1::bigint AND field_no = w.field_no AND version = w.version OFFSET 0) AS c)))"};
constexpr Statement kAddChanges{
    "INSERT INTO changes (owner_no, stream_no, field_no, version, record_no)"
    " SELECT :owner, $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[])"};
constexpr Statement kDropRecords{"DELETE FROM records WHERE owner_no = :owner AND record_no = ANY ($1::bigint[])"};
constexpr Statement kAddRecords{
    "INSERT INTO records (owner_no, stream_no, record_no, version, first_value, value_count, consent_time, key, order_key, "
    "emitted_at, "
    "digest,"
    " field_versions, stored_body, text_no, word_mask, sum, raw_size)"
    " SELECT :owner, $1::bigint, unnest($2::bigint[]), unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[]), "
    "unnest($6::bigint[]),"
    " unnest($7::bytea[]), unnest($8::bytea[]), unnest($9::bytea[]), unnest($10::bytea[]), unnest($11::bytea[]), "
    "unnest($12::bytea[]),"
    " unnest($13::bigint[]), unnest($14::bigint[]), unnest($15::bigint[]), unnest($16::bigint[])"};
constexpr Statement kSetRecords{R"(
  UPDATE records r SET version = w.version, first_value = w.first_value, value_count = w.value_count,
    consent_time = w.consent_time, order_key = w.order_key, emitted_at = w.emitted_at, digest = w.digest, field_versions = w.field_versions,
    stored_body = w.stored_body, text_no = w.text_no, word_mask = w.word_mask, key = w.key, sum = w.sum, raw_size = w.raw_size
  FROM (SELECT unnest($1::bigint[]) AS record_no, unnest($2::bigint[]) AS version, unnest($3::bigint[]) AS first_value,
          unnest($4::bigint[]) AS value_count, unnest($5::bigint[]) AS consent_time, unnest($6::bytea[]) AS order_key,
          unnest($7::bytea[]) AS emitted_at, unnest($8::bytea[]) AS digest, unnest($9::bytea[]) AS field_versions,
          unnest($10::bytea[]) AS stored_body, unnest($11::bigint[]) AS text_no, unnest($12::bigint[]) AS word_mask,
          unnest($13::bytea[]) AS key, unnest($14::bigint[]) AS sum, unnest($15::bigint[]) AS raw_size) AS w
  WHERE r.owner_no = :owner AND r.record_no = w.record_no)"};
constexpr Statement kDropTombstones{"DELETE FROM tombstones WHERE owner_no = :owner AND record_no = ANY ($1::bigint[])"};
constexpr Statement kAddTombstones{
    "INSERT INTO tombstones (owner_no, stream_no, deleted_at, record_no, created, version, consent_time, key)"
    " SELECT :owner, $1::bigint, $2::bigint, unnest($3::bigint[]), unnest($4::bigint[]), unnest($5::bigint[]), "
    "unnest($6::bigint[]),"
    " unnest($7::bytea[])"};
constexpr Statement kAttachStaged{"DELETE FROM loose_values WHERE owner_no = :owner AND first_value = ANY ($1::bigint[])"};
constexpr Statement kDiscardStaged{
    "UPDATE loose_values SET state = 1, touched_at = $2::bigint WHERE owner_no = :owner AND first_value = ANY ($1::bigint[])"};
constexpr Statement kAddDead{
    "INSERT INTO loose_values (owner_no, state, touched_at, first_value, value_count)"
    " SELECT :owner, 1, $1::bigint, unnest($2::bigint[]), unnest($3::bigint[])"};

// For records whose old text is unknown. This is a scan, but rarely needed.
constexpr Statement kDropEntriesOf{
    "DELETE FROM index_entries WHERE owner_no = :owner AND record_no = ANY ($2::bigint[])"
    " AND index_no IN (SELECT index_no FROM indexes WHERE owner_no = :owner AND stream_no = $1::bigint)"};
constexpr Statement kDropBlobRefsOf{"DELETE FROM blob_refs WHERE owner_no = :owner AND record_no = ANY ($1::bigint[])"};

// Rows of `records`, for an INSERT or an UPDATE.
struct RecordRows {
  Int8Array no, version, first_value, value_count, consent_time, text, word_mask, sum, raw_size;
  ByteaArray key, order_key, emitted_at, digest, field_versions, body;

  void add(StreamNo stream, RecordNo record_no, const KeyState& state, const WordState& words) {
    const RecordWrite& write = *state.write;
    const std::string versions = state.versions.encode();
    no.add(record_no);
    version.add(state.version);
    first_value.add(state.first_value);
    value_count.add(state.value_count);
    consent_time.add(state.consent_time);
    key.add(write.key);
    order_key.add(write.order_key);
    emitted_at.add(write.emitted_at);
    digest.add(crypto::view(state.digest));
    field_versions.add(versions);
    const std::string small = compressed(write.body);
    const StoredBytes in_row = stored(write.body, small);
    body.add(in_row.bytes);
    raw_size.add(in_row.raw_size);
    text.add(words.text);
    word_mask.add(words.mask);
    sum.add(record_sum({.no = record_no,
                        .stream = stream,
                        .key = write.key,
                        .order_key = write.order_key,
                        .version = state.version,
                        .digest = crypto::view(state.digest),
                        .emitted_at = write.emitted_at,
                        .consent_time = state.consent_time,
                        .field_versions = versions,
                        .first_value = state.first_value,
                        .value_count = state.value_count},
                       write.body));
  }
};

class RowQueue {
 public:
  RowQueue(StreamNo stream, const WritePlan& plan, std::span<const RecordNo> numbers, Instant now)
      : stream_(stream), indexes_(plan.indexes()), numbers_(numbers), now_(now) {}

  void add(const KeyPlan& key, const WordState& words) {
    const KeyState &before = key.before, &after = key.after;
    if (is_untouched(key)) return;
    record_delta_ += static_cast<int>(after.live()) - static_cast<int>(before.live());
    add_changes(before, after);
    const bool same_record = before.live() && after.live() && before.no == after.no;
    add_index_rows(key, same_record);
    if (before.live() && !same_record) dropped_.add(before.no);
    if (before.kind == KeyState::Kind::kDeleted) dropped_tombstones_.add(before.no);
    if (after.live()) {
      (same_record ? changed_ : added_).add(stream_, number(after.no), after, words);
      add_values(*after.write);
    } else if (after.kind == KeyState::Kind::kDeleted) {
      tombstone_no_.add(number(after.no));
      tombstone_created_.add(after.versions.created);
      tombstone_version_.add(after.version);
      tombstone_consent_time_.add(after.consent_time);
      tombstone_key_.add(key.key);
    }
  }

  QueuedRows queue(Connection& connection, const WritePlan& plan) {
    if (!dropped_field_.empty()) connection.add(kDropChanges, stream_, dropped_field_, dropped_version_);
    if (!dropped_.empty()) connection.add(kDropRecords, dropped_);
    if (!dropped_tombstones_.empty()) connection.add(kDropTombstones, dropped_tombstones_);
    if (!changed_.no.empty()) {
      const RecordRows& r = changed_;
      connection.add(kSetRecords, r.no, r.version, r.first_value, r.value_count, r.consent_time, r.order_key, r.emitted_at,
                     r.digest, r.field_versions, r.body, r.text, r.word_mask, r.key, r.sum, r.raw_size);
    }
    if (!added_.no.empty()) {
      const RecordRows& r = added_;
      connection.add(kAddRecords, stream_, r.no, r.version, r.first_value, r.value_count, r.consent_time, r.key, r.order_key,
                     r.emitted_at, r.digest, r.field_versions, r.body, r.text, r.word_mask, r.sum, r.raw_size);
    }
    if (!tombstone_no_.empty()) {
      connection.add(kAddTombstones, stream_, now_, tombstone_no_, tombstone_created_, tombstone_version_,
                     tombstone_consent_time_, tombstone_key_);
    }
    if (!added_field_.empty()) connection.add(kAddChanges, stream_, added_field_, added_version_, added_record_);
    if (!plan.unreadable().empty()) {
      Int8Array unreadable;
      for (const RecordNo no : plan.unreadable()) unreadable.add(no);
      connection.add(kDropEntriesOf, stream_, unreadable);
      connection.add(kDropBlobRefsOf, unreadable);
    }
    index_changes_.queue(connection);
    values_.queue(connection);
    const bool loose = queue_loose(connection, plan);
    const bool rows = !dropped_.empty() || !changed_.no.empty() || !added_.no.empty() || !tombstone_no_.empty();
    return {.anything = rows || loose, .record_delta = record_delta_};
  }

 private:
  RecordNo number(RecordNo no) const { return number_of(no, numbers_); }

  void add_changes(const KeyState& before, const KeyState& after) {
    const ChangeEntries old_entries = change_entries(before), new_entries = change_entries(after);
    for (const auto& entry : old_entries) {
      if (std::ranges::find(new_entries, entry) != new_entries.end()) continue;
      dropped_field_.add(entry.first);
      dropped_version_.add(entry.second);
    }
    for (const auto& entry : new_entries) {
      if (std::ranges::find(old_entries, entry) != old_entries.end()) continue;
      added_field_.add(entry.first);
      added_version_.add(entry.second);
      added_record_.add(number(after.no));
    }
  }

  // An equal entry of another record number is a different entry.
  void add_index_rows(const KeyPlan& key, bool same_record) {
    const KeyState &before = key.before, &after = key.after;
    const auto rows_of = [&](const KeyState& state) {
      return state.live() ? index_rows(indexes_, key.key, state.order_key(), state.body()) : IndexRows();
    };
    const IndexRows old_rows = rows_of(before), new_rows = rows_of(after);
    if (same_record) return index_changes_.replace(old_rows, new_rows, before.no);
    index_changes_.drop(old_rows, before.no);
    index_changes_.add(new_rows, number(after.no));
  }

  void add_values(const RecordWrite& write) {
    if (write.value_count == 0) return;
    if (write.staged) return attached_.add(write.first_value);
    for (const ChunkRow& chunk : write.values.chunks) values_.add_chunk(chunk.value, chunk.chunk_no, chunk.bytes);
    for (const DirectoryRow& page : write.values.directory) values_.add_page(page.value, page.first, page.page);
  }

  bool queue_loose(Connection& connection, const WritePlan& plan) const {
    Int8Array unwanted, dead_first, dead_count;
    for (const ValueId first : plan.unwanted()) unwanted.add(first);
    for (const ValueSet& set : plan.dead()) {
      dead_first.add(set.first);
      dead_count.add(set.count);
    }
    if (!attached_.empty()) connection.add(kAttachStaged, attached_);
    if (!unwanted.empty()) connection.add(kDiscardStaged, unwanted, now_);
    if (!dead_first.empty()) connection.add(kAddDead, now_, dead_first, dead_count);
    return !attached_.empty() || !unwanted.empty() || !dead_first.empty();
  }

  const StreamNo stream_;
  std::span<const IndexSpec> indexes_;
  std::span<const RecordNo> numbers_;
  const Instant now_;
  std::int64_t record_delta_ = 0;
  RecordRows added_, changed_;
  Int8Array dropped_, dropped_tombstones_;
  Int8Array tombstone_no_, tombstone_created_, tombstone_version_, tombstone_consent_time_;
  ByteaArray tombstone_key_;
  Int8Array dropped_field_, dropped_version_, added_field_, added_version_, added_record_;
  IndexChanges index_changes_;
  Int8Array attached_;
  ValueRows values_;
};

}  // namespace

QueuedRows queue_rows(Connection& connection, StreamNo stream, const WritePlan& plan, std::span<const RecordNo> numbers,
                      std::span<const WordState> words, Instant now) {
  RowQueue rows(stream, plan, numbers, now);
  auto of_key = words.begin();
  for (const KeyPlan& key : plan.keys()) rows.add(key, *of_key++);
  return rows.queue(connection, plan);
}

}  // namespace ladder::store::postgres
