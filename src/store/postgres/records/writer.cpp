// Writing a batch: one transaction in two round trips. The first locks the stream and finds what the batch's keys have now; the
// plan (write_plan.h) is worked out in memory; the second writes every row, and commits. Only a stream that has used up its block
// of record numbers costs a third, and a record with several rows of words but no long value a number for them.
#include "base/text/format.h"
#include "store/postgres/engine/postgres_store.h"
#include "store/postgres/records/index_rows.h"
#include "store/postgres/records/record_rows.h"
#include "store/postgres/records/write_plan.h"
#include "store/postgres/records/write_rows.h"
#include "store/postgres/upkeep/damage_check.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kFirstBlock = 256;
constexpr std::int64_t kLargestBlock = 1 << 20;

constexpr Statement kLockStream{R"(
  SELECT s.record_count, s.max_version, s.next_record_no, s.block_end, s.word_generation,
         (SELECT c.owner_no FROM connections c WHERE c.connection_no = s.connection_no),
         (SELECT m.value FROM meta m WHERE m.key = 'words_version')
  FROM streams s WHERE s.stream_no = $1::bigint FOR NO KEY UPDATE OF s)"};
constexpr Statement kFindWordColumns{kFindWordColumnsSql};
// LATERAL … OFFSET 0 makes it one index look-up per key, also for a plan that was made while the stream was empty.
// Body and ordering key are sent although the digest may say that nothing changed: then their checksum is looked at.
constexpr Statement kFindRecords{R"(
  SELECT w.key, r.record_no, r.version, r.consent_time, r.digest, r.field_versions, r.first_value, r.value_count,
         r.stored_body, r.order_key, r.emitted_at, r.text_no, r.word_mask, r.key, r.sum, r.raw_size
  FROM (SELECT unnest($2::bytea[]) AS key) AS w,
       LATERAL (SELECT * FROM records WHERE stream_no = $1::bigint AND key = w.key OFFSET 0) AS r)"};
constexpr Statement kChangesOfRecord{
    "SELECT field_no, version FROM changes WHERE stream_no = $1::bigint AND record_no = $2::bigint"};
constexpr Statement kFindTombstones{R"(
  SELECT t.key, t.record_no, t.version, t.created
  FROM (SELECT unnest($2::bytea[]) AS key) AS w,
       LATERAL (SELECT * FROM tombstones WHERE stream_no = $1::bigint AND key = w.key OFFSET 0) AS t)"};
constexpr Statement kFindIndexes{"SELECT " LADDER_PG_INDEX_SPEC_COLUMNS
                                 " FROM indexes i JOIN fields f ON f.field_no = i.field_no WHERE i.stream_no = $1::bigint"};
constexpr Statement kLockStaged{
    "SELECT first_value, text_no, stream_no, word_generation FROM loose_values"
    " WHERE first_value = ANY ($1::bigint[]) AND state = 0 ORDER BY first_value FOR UPDATE"};
constexpr Statement kTakeTextNumbers{
    "UPDATE counters SET next = next + $1::bigint WHERE name = 'value_id' RETURNING next - $1::bigint"};
// The next block of a stream is twice as large as its last.
constexpr Statement kTakeBlock{R"(
  WITH wanted AS (SELECT least($3::bigint, greatest($2::bigint, 2 * coalesce(max(size), 0))) AS size
                  FROM number_blocks WHERE stream_no = $1::bigint),
       taken AS (UPDATE counters SET next = next + (SELECT size FROM wanted) WHERE name = 'record_no' RETURNING next)
  INSERT INTO number_blocks (first_no, size, stream_no)
  SELECT taken.next - wanted.size, wanted.size, $1::bigint FROM wanted, taken RETURNING first_no, size)"};
constexpr Statement kSetStream{
    "UPDATE streams SET record_count = $2::bigint, max_version = $3::bigint, next_record_no = $4::bigint, block_end = $5::bigint"
    " WHERE stream_no = $1::bigint"};

// Blobs that records named which are gone for good, unless another record of the owner names them too.
constexpr Statement kDropOrphanBlobs{R"(
  WITH gone AS (
    DELETE FROM blobs b WHERE b.owner_no = $1::bigint AND b.digest = ANY ($2::bytea[]) AND NOT EXISTS (
      SELECT FROM blob_refs n JOIN records r ON r.record_no = n.record_no JOIN streams s ON s.stream_no = r.stream_no
        JOIN connections c ON c.connection_no = s.connection_no WHERE n.digest = b.digest AND c.owner_no = b.owner_no)
    RETURNING value_id)
  INSERT INTO loose_values (state, touched_at, first_value, value_count) SELECT 1, $3::bigint, value_id, 1 FROM gone)"};

struct StreamState {
  std::int64_t record_count = 0, max_version = 0;
  RecordNo next_record_no = 0, block_end = 0;
};

Status take_record(WritePlan& plan, StreamNo stream, const Rows& rows, int row) {
  KeyPlan* key = plan.find(rows.bytes(row, 0));
  if (key == nullptr) return fail(Code::kInternal, "a record was found that was not looked for: run `ladder doctor`");
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
  state.word_mask = static_cast<WordColumns>(rows.int8(row, 12));
  const RowSum sum = rows.maybe_int8(row, 14);
  const RecordHead head{.no = state.no,
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
  state.head_damaged = !versions || !head_holds(sum, head) || head.key != key->key;
  state.body_damaged = !readable || !body_holds(sum, state.no, head.key, state.stored_body);
  if (versions) state.versions = *std::move(versions);
  return {};
}

// The versions of a record whose row is damaged, from the change log.
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

// "Unchanged" is said after a look at the stored bytes: a record that is damaged is written again.
Status look_for_damage(Connection& connection, StreamNo stream, WritePlan& plan) {
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

void take_tombstone(WritePlan& plan, const Rows& rows, int row) {
  if (KeyPlan* key = plan.find(rows.bytes(row, 0))) {
    key->before.kind = KeyState::Kind::kDeleted;
    key->before.no = rows.int8(row, 1);
    key->before.version = rows.int8(row, 2);
    key->before.versions.created = rows.int8(row, 3);
  }
}

// A staged set that is still there fits when its words are in the stream's columns as they are now, or when there are none to be.
bool fits(const WritePlan& plan, StreamNo stream, const Rows& staged, int row) {
  if (staged.int8(row, 1) != 0) return staged.int8(row, 2) == stream && staged.int8(row, 3) == plan.words().generation;
  const RecordWrite* record = plan.bringing(staged.int8(row, 0));
  return record != nullptr && !has_long_text(plan.words(), record->body);
}

// The first round trip.
Result<StreamState> lock_and_look(Connection& connection, StreamNo stream, WritePlan& plan) {
  ByteaArray keys;
  for (const KeyPlan& key : plan.keys()) keys.add(key.key);
  connection.begin();
  connection.add(kLockStream, stream);
  connection.add(kFindRecords, stream, keys);
  connection.add(kFindTombstones, stream, keys);
  connection.add(kFindIndexes, stream);
  connection.add(kFindWordColumns, stream);
  if (!plan.staged().empty()) {
    Int8Array staged;
    for (const ValueId first : plan.staged()) staged.add(first);
    connection.add(kLockStaged, staged);
  }
  LADDER_TRY(const auto answers, connection.run());
  const Rows &streams = answers[0], &records = answers[1], &tombstones = answers[2], &indexes = answers[3];
  if (streams.empty()) return fail(Code::kNotFound, "there is no such stream in the store: add its connection again");
  LADDER_CHECK(check_words_version(streams.bytes(0, 6)));
  plan.set_words({.owner = streams.int8(0, 5), .generation = streams.int8(0, 4), .columns = read_word_columns(answers[4])});
  for (int row = 0; row < records.size(); ++row) LADDER_CHECK(take_record(plan, stream, records, row));
  for (int row = 0; row < tombstones.size(); ++row) take_tombstone(plan, tombstones, row);
  for (int row = 0; row < indexes.size(); ++row) plan.add_index(read_index_spec(indexes, row));
  if (answers.size() > 5) {
    const Rows& staged = answers[5];
    for (int row = 0; row < staged.size(); ++row) {
      if (fits(plan, stream, staged, row)) plan.still_staged(staged.int8(row, 0));
    }
  }
  return StreamState{streams.int8(0, 0), streams.int8(0, 1), streams.int8(0, 2), streams.int8(0, 3)};
}

// Numbers for new records, ascending: the rest of the stream's block, then a new one (or several, for a very large batch).
Result<std::vector<RecordNo>> take_numbers(Connection& connection, StreamNo stream, StreamState& state, std::int64_t count) {
  std::vector<RecordNo> numbers;
  numbers.reserve(static_cast<std::size_t>(count));
  for (;;) {
    while (std::ssize(numbers) < count && state.next_record_no < state.block_end) numbers.push_back(state.next_record_no++);
    if (std::ssize(numbers) == count) return numbers;
    const auto missing = static_cast<std::uint64_t>(count - std::ssize(numbers));
    const auto least = std::max(kFirstBlock, static_cast<std::int64_t>(std::bit_ceil(missing)));
    LADDER_TRY(const Rows block, connection.run_one(kTakeBlock, stream, least, kLargestBlock));
    if (block.empty()) return fail(Code::kInternal, "the store has lost its counter of record numbers: run `ladder doctor`");
    state.next_record_no = block.int8(0, 0);
    state.block_end = state.next_record_no + block.int8(0, 1);
  }
}

void queue_orphan_blobs(Connection& connection, const WritePlan& plan, Instant now) {
  ByteaArray digests;
  for (const KeyPlan& key : plan.keys()) {
    if (!key.before.live() || key.after.live()) continue;
    if (const auto blob = index_rows({}, {}, {}, key.before.body()).blob) digests.add(crypto::view(*blob));
  }
  if (!digests.empty()) connection.add(kDropOrphanBlobs, plan.words().owner, digests, now);
}

Result<std::vector<Outcome>> write_batch(Connection& connection, const WriteTarget& target, std::span<const RecordWrite> records,
                                         Instant now, std::size_t& word_bytes) {
  WritePlan plan(target, records);
  LADDER_TRY(StreamState state, lock_and_look(connection, target.stream, plan));
  LADDER_CHECK(look_for_damage(connection, target.stream, plan));
  plan.work_out(state.max_version);
  LADDER_TRY(const auto numbers, take_numbers(connection, target.stream, state, plan.new_records()));
  LADDER_TRY(auto words, plan_words(plan));
  if (const std::int64_t missing = texts_without_number(words); missing > 0) {
    LADDER_TRY(const Rows first, connection.run_one(kTakeTextNumbers, missing));
    number_texts(words, first.int8(0, 0));
  }
  const QueuedRows queued = queue_rows(connection, target.stream, plan, numbers, words, now);
  if (!queued.anything) {
    LADDER_CHECK(connection.rollback());
    return plan.outcomes();
  }
  if (target.for_good) queue_orphan_blobs(connection, plan, now);
  connection.add(kSetStream, target.stream, state.record_count + queued.records_more, plan.max_version(), state.next_record_no,
                 state.block_end);
  LADDER_TRY(const auto written, connection.commit());
  word_bytes = bytes_of(words);
  return plan.outcomes();
}

}  // namespace

Result<std::vector<Outcome>> PostgresStore::write(const WriteTarget& target, std::span<RecordWrite> records, Instant now) {
  std::size_t word_bytes = 0;
  LADDER_TRY(auto outcomes,
             pool_.run([&](Connection& connection) { return write_batch(connection, target, records, now, word_bytes); }));
  new_words_.add(pool_, word_bytes);
  return outcomes;
}

}  // namespace ladder::store::postgres
