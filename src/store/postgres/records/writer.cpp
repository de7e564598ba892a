// Writes a batch in one transaction with two round trips. The first locks the stream and reads the current state of the
// batch's keys. The plan (write_plan.h) is computed in memory. The second writes every row and commits. A third is
// needed only to allocate a block of record numbers, or a text number for a record with several rows of words but no long value.
#include "base/text/format.h"
#include "store/postgres/engine/numbers.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/engine/record_rows.h"
#include "store/postgres/records/index_rows.h"
#include "store/postgres/records/staging.h"
#include "store/postgres/records/value_check.h"
#include "store/postgres/records/write_plan.h"
#include "store/postgres/records/write_rows.h"
#include "store/postgres/search/posting_rows.h"
#include "store/postgres/search/word_columns.h"

#include <algorithm>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kRestoreChunks{R"(
  INSERT INTO chunks (owner_no, value_id, chunk_no, stored, raw_size)
  SELECT :owner, value_id - $2::bigint + $1::bigint, chunk_no, stored, raw_size FROM chunks
  WHERE owner_no = :owner AND value_id >= $2::bigint AND value_id < $2::bigint + $3::bigint
  ON CONFLICT (owner_no, value_id, chunk_no) DO UPDATE SET stored = excluded.stored, raw_size = excluded.raw_size, sum = NULL)"};
constexpr Statement kLockStream{R"(
  SELECT s.record_count, s.max_version, s.next_record_no, s.block_end, s.word_generation, s.next_text, s.text_end,
         (SELECT m.value FROM meta m WHERE m.key = 'words_version'), nextval('word_segment_no')
  FROM streams s WHERE s.owner_no = :owner AND s.stream_no = $1::bigint FOR NO KEY UPDATE OF s)"};
constexpr Statement kFindWordColumns{kFindWordColumnsSql};
// LATERAL … OFFSET 0 makes it one index lookup per key, even in a plan made while the stream was empty. Body and order
// key are read even if the digest is unchanged, to verify their checksum.
constexpr Statement kFindRecords{R"(
  SELECT w.key, r.record_no, r.version, r.consent_time, r.digest, r.field_versions, r.first_value, r.value_count,
         r.stored_body, r.order_key, r.emitted_at, r.text_no, r.word_mask, r.key, r.sum, r.raw_size
  FROM (SELECT unnest($2::bytea[]) AS key) AS w,
       LATERAL (SELECT * FROM records WHERE owner_no = :owner AND stream_no = $1::bigint AND key = w.key OFFSET 0) AS r)"};
constexpr Statement kChangesOfRecord{
    "SELECT field_no, version FROM changes WHERE owner_no = :owner AND stream_no = $1::bigint AND record_no = $2::bigint"};
constexpr Statement kFindTombstones{R"(
  SELECT t.key, t.record_no, t.version, t.created
  FROM (SELECT unnest($2::bytea[]) AS key) AS w,
       LATERAL (SELECT * FROM tombstones WHERE owner_no = :owner AND stream_no = $1::bigint AND key = w.key OFFSET 0) AS t)"};
constexpr Statement kFindIndexes{"SELECT " LADDER_PG_INDEX_SPEC_COLUMNS
                                 " FROM indexes i JOIN fields f ON f.owner_no = i.owner_no AND f.field_no = i.field_no WHERE "
                                 "i.owner_no = :owner AND i.stream_no = $1::bigint"};
constexpr Statement kLockStaged{
    "SELECT l.first_value, (SELECT coalesce(min(t.text_no), 0) FROM texts t WHERE t.owner_no = l.owner_no AND t.loose = "
    "l.first_value AND t.loose > 0),"
    " l.stream_no, l.word_generation FROM loose_values l"
    " WHERE l.owner_no = :owner AND l.first_value = ANY ($1::bigint[]) AND l.state = 0 ORDER BY l.first_value FOR UPDATE OF l"};
constexpr Statement kSegmentsOfOwner{kSegmentsSql};
constexpr Statement kSetStream{
    "UPDATE streams SET record_count = $2::bigint, max_version = $3::bigint, next_record_no = $4::bigint, block_end = $5::bigint"
    " WHERE owner_no = :owner AND stream_no = $1::bigint"};

struct StreamState {
  std::int64_t record_count = 0, max_version = 0;
  UnusedNumbers records, texts;
  SegmentNo segment = 0;  // a number for the new segment of the word index
  std::vector<PostingSegment> segments;
};

Status read_stored_record(WritePlan& plan, StreamNo stream, const Rows& rows, int row) {
  KeyPlan* key = plan.find(rows.bytes(row, 0));
  if (key == nullptr) return fail(Code::kInternal, "PostgreSQL returned a record that was not requested: run `ladder doctor`");
  std::optional<FieldVersions> versions = FieldVersions::decode(rows.bytes(row, 5));
  KeyState& state = key->before;
  state.kind = KeyState::Kind::kLive;
  state.no = rows.int8(row, 1);
  state.version = rows.int8(row, 2);
  state.consent_time = rows.maybe_int8(row, 3);
  state.digest = crypto::to_digest(rows.bytes(row, 4));
  state.first_value = rows.int8(row, 6);
  state.value_count = rows.int8(row, 7);
  const bool readable = read_body(rows, row, 8, 15, state.stored_body);
  state.stored_order_key = rows.text(row, 9);
  state.stored_emitted_at = rows.text(row, 10);
  state.text = rows.int8(row, 11);
  state.word_mask = static_cast<text::WordColumns>(rows.int8(row, 12));
  const RowSum sum = rows.maybe_int8(row, 14);
  const RecordMetadata head{.no = state.no,
                            .stream = stream,
                            .key = rows.bytes(row, 13),
                            .order_key = state.stored_order_key,
                            .version = state.version,
                            .digest = rows.bytes(row, 4),
                            .emitted_at = state.stored_emitted_at,
                            .consent_time = state.consent_time,
                            .field_versions = rows.bytes(row, 5),
                            .first_value = state.first_value,
                            .value_count = state.value_count};
  state.head_damaged = !versions || !metadata_matches(sum, head) || head.key != key->key;
  state.body_damaged = !readable || !body_matches(sum, state.no, head.key, state.stored_body);
  if (versions) state.versions = *std::move(versions);
  return {};
}

// Reads the versions of a record with a damaged row from the change log.
Status recover_versions(Connection& connection, StreamNo stream, KeyState& state) {
  LADDER_TRY(const Rows rows, connection.run_one(kChangesOfRecord, stream, state.no));
  state.versions = {};
  state.version = 0;
  for (int row = 0; row < rows.size(); ++row) {
    const FieldNo field = rows.int8(row, 0);
    (field == kWholeRecord ? state.versions.created : state.versions.changed[field]) = rows.int8(row, 1);
    state.version = std::max(state.version, rows.int8(row, 1));
  }
  return {};
}

// Verifies the stored bytes before a record is reported as unchanged; a damaged record is written again.
Status find_damaged_records(Connection& connection, StreamNo stream, WritePlan& plan) {
  std::vector<StoredValues> values;
  std::vector<KeyState*> owners;
  for (KeyPlan& key : plan.keys()) {
    KeyState& state = key.before;
    if (!state.live()) continue;
    if (state.head_damaged) LADDER_CHECK(recover_versions(connection, stream, state));
    const bool looks_unchanged = !key.first->is_delete && key.first->digest == state.digest;
    if (state.damaged() || !looks_unchanged || state.value_count == 0) continue;
    values.push_back({state.first_value, state.value_count, state.stored_body});
    owners.push_back(&state);
  }
  LADDER_CHECK(check_values(connection, values));
  for (std::size_t i = 0; i < values.size(); ++i) owners[i]->body_damaged = !values[i].intact;
  return {};
}

void read_stored_tombstone(WritePlan& plan, const Rows& rows, int row) {
  if (KeyPlan* key = plan.find(rows.bytes(row, 0))) {
    key->before.kind = KeyState::Kind::kDeleted;
    key->before.no = rows.int8(row, 1);
    key->before.version = rows.int8(row, 2);
    key->before.versions.created = rows.int8(row, 3);
  }
}

// A staged set fits if its words are in the stream's current columns, or if it needs no words.
bool fits(const WritePlan& plan, StreamNo stream, const Rows& staged, int row) {
  if (staged.int8(row, 2) != 0) return staged.int8(row, 2) == stream && staged.int8(row, 3) == plan.words().epoch;
  const RecordWrite* record = plan.record_with(staged.int8(row, 0));
  return record != nullptr && !has_long(plan.words().texts(record->body, plan.words().mask));
}

// Runs the first round trip.
Result<StreamState> lock_and_read(Connection& connection, StreamNo stream, WritePlan& plan) {
  ByteaArray keys;
  for (const KeyPlan& key : plan.keys()) keys.add(key.key);
  connection.begin();
  connection.add(kLockStream, stream);
  connection.add(kFindRecords, stream, keys);
  connection.add(kFindTombstones, stream, keys);
  connection.add(kFindIndexes, stream);
  connection.add(kFindWordColumns, stream);
  connection.add(kSegmentsOfOwner, connection.owner());
  if (!plan.staged().empty()) {
    Int8Array staged;
    for (const ValueId first : plan.staged()) staged.add(first);
    connection.add(kLockStaged, staged);
  }
  LADDER_TRY(const auto answers, connection.run());
  const Rows &streams = answers[0], &records = answers[1], &tombstones = answers[2], &indexes = answers[3];
  if (streams.empty()) return fail(Code::kNotFound, "the stream does not exist in the store: add its connection again");
  LADDER_CHECK(check_words_version(streams.bytes(0, 7)));
  plan.set_words(read_stream_words(connection.owner(), streams.int8(0, 4), answers[4]));
  for (int row = 0; row < records.size(); ++row) LADDER_CHECK(read_stored_record(plan, stream, records, row));
  for (int row = 0; row < tombstones.size(); ++row) read_stored_tombstone(plan, tombstones, row);
  for (int row = 0; row < indexes.size(); ++row) plan.add_index(read_index_spec(indexes, row));
  if (answers.size() > 6) {
    const Rows& staged = answers[6];
    for (int row = 0; row < staged.size(); ++row) {
      if (fits(plan, stream, staged, row)) plan.still_staged(staged.int8(row, 0), staged.int8(row, 1));
    }
  }
  return StreamState{.record_count = streams.int8(0, 0),
                     .max_version = streams.int8(0, 1),
                     .records = {streams.int8(0, 2), streams.int8(0, 3)},
                     .texts = {streams.int8(0, 5), streams.int8(0, 6)},
                     .segment = streams.int8(0, 8),
                     .segments = read_segments(answers[5])};
}

// Allocates numbers for new records, ascending: the rest of the stream's block, then a new one (or several, for a very
// large batch).
Result<std::vector<RecordNo>> take_numbers(Connection& connection, StreamNo stream, StreamState& state, std::int64_t count) {
  std::vector<RecordNo> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (;;) {
    while (std::ssize(numbers) < count && !state.records.empty()) numbers.push_back(state.records.next++);
    if (std::ssize(numbers) == count) return numbers;
    LADDER_TRY(state.records, take_block(connection, stream, NumberKind::kRecords, count - std::ssize(numbers)));
  }
}

// Drops the blobs of deleted records.
void queue_blobs_of_deleted(Connection& connection, const WritePlan& plan, Instant now) {
  ByteaArray digests;
  for (const KeyPlan& key : plan.keys()) {
    if (!key.before.live() || key.after.live()) continue;
    if (const auto blob = index_rows({}, {}, {}, key.before.body()).blob) digests.add(crypto::view(*blob));
  }
  if (!digests.empty()) queue_unused_blobs(connection, plan.words().owner, digests, now);
}

Result<std::vector<Outcome>> write_batch(Connection& connection, const WriteTarget& target, std::span<const RecordWrite> records,
                                         Instant now) {
  WritePlan plan(target, records);
  LADDER_TRY(StreamState state, lock_and_read(connection, target.stream, plan));
  LADDER_CHECK(find_damaged_records(connection, target.stream, plan));
  plan.compute(state.max_version);
  LADDER_TRY(const auto numbers, take_numbers(connection, target.stream, state, plan.new_records()));
  TextNumbers texts(connection, target.stream, state.texts);
  WordRows word_rows(plan.words().owner);
  LADDER_TRY(const auto words, plan_words(plan, numbers, texts, word_rows));
  const QueuedRows queued = queue_rows(connection, target.stream, plan, numbers, words, now);
  if (!queued.anything) {
    LADDER_CHECK(connection.rollback());
    return plan.outcomes();
  }
  if (target.drops_blobs) queue_blobs_of_deleted(connection, plan, now);
  for (const auto& [damaged, restored, count] : plan.restored()) connection.add(kRestoreChunks, damaged, restored, count);
  connection.add(kSetStream, target.stream, state.record_count + queued.record_delta, plan.max_version(), state.records.next,
                 state.records.end);
  texts.queue_update();
  LADDER_CHECK(word_rows.write(connection, state.segment, state.segments));
  LADDER_TRY(const auto written, connection.commit());
  return plan.outcomes();
}

}  // namespace

Result<std::vector<Outcome>> PostgresStore::write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) {
  auto outcomes = pool_.run(target.owner, [&](Connection& connection) {
    auto written = write_batch(connection, target, records, now);
    dropped_blocks_ += connection.take_dropped_blocks();
    return written;
  });
  vacuum_blocks();
  return outcomes;
}

// Merging rewrites blocks several times during an import, faster than the server's own vacuum comes around, so the table would
// grow to four times its contents. Without index cleanup a vacuum reads only the pages that changed, and its index entries are
// removed by one vacuum in eight. A failure is harmless: the next one, or the server's, makes up for it.
void PostgresStore::vacuum_blocks() {
  constexpr std::int64_t kDroppedBlocks = 4'096;  // about 8 MB
  constexpr std::int64_t kVacuumsPerCleanup = 8;
  std::int64_t dropped = dropped_blocks_;
  if (dropped < kDroppedBlocks || !dropped_blocks_.compare_exchange_strong(dropped, 0)) return;
  const bool cleans_index = ++vacuums_ % kVacuumsPerCleanup == 0;
  static_cast<void>(pool_.run([&](Connection& connection) {
    return connection.script(format("VACUUM (SKIP_LOCKED, INDEX_CLEANUP {}) ladder.word_blocks", cleans_index ? "AUTO" : "OFF"));
  }));
}

}  // namespace ladder::store::postgres
