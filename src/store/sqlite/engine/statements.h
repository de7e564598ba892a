// Every prepared statement of the engine, by name. A connection keeps one prepared copy of each statement that it has
// used in a slot, so that a lookup is an array access. `:owner` is the owner that the connection works for.
#pragma once

#include "store/sqlite/engine/word_statements.h"

#include <cstddef>
#include <cstdint>

namespace ladder::store::sqlite {

// Columns that record_of (reader.h) reads. Other columns follow, from kRecordColumns on.
#define LADDER_SQLITE_RECORD_COLUMNS(r)                                                                                \
  r "record_no, " r "version, " r "digest, " r "emitted_at, " r "order_key, " r "field_versions, " r "stored_body, " r \
    "consent_time, " r "first_value, " r "value_count, " r "sum, " r "raw_size"
inline constexpr int kBodyColumn = 6, kSumColumn = 10, kRawSizeColumn = 11, kRecordColumns = 12;

// clang-format off
#define LADDER_SQLITE_STATEMENTS(X) \
  X(kBegin, "BEGIN") \
  X(kBeginWrite, "BEGIN IMMEDIATE") \
  X(kCommit, "COMMIT") \
  X(kRollback, "ROLLBACK") \
  X(kSchemaCookie, "PRAGMA schema_version") \
  X(kDataVersion, "PRAGMA data_version") \
  X(kSealKeys, "SELECT substr(key, 10), value FROM meta WHERE key GLOB 'seal_key.*' ORDER BY CAST(substr(key, 10) AS INTEGER)") \
  X(kTakeNumbers, "UPDATE meta SET value = value + ?2 WHERE key = ?1 RETURNING value - ?2") \
  X(kTakeOwned, "INSERT INTO counters(owner_no, name, next) VALUES(:owner, ?1, ?2 + 1) " \
                "ON CONFLICT(owner_no, name) DO UPDATE SET next = next + ?2 RETURNING next - ?2") \
  /* catalog */ \
  X(kOwnersAfter, "SELECT owner_no FROM owners WHERE owner_no > ?1 ORDER BY owner_no") \
  X(kTouchCatalog, "UPDATE owners SET catalog_version = catalog_version + 1 WHERE owner_no = ?1") \
  /* indexes */ \
  X(kIndexesOfStream, "SELECT i.index_no, i.kind, f.name, i.upto FROM indexes i " \
                      "JOIN fields f ON f.owner_no = i.owner_no AND f.field_no = i.field_no " \
                      "WHERE i.owner_no = :owner AND i.stream_no = ?1 ORDER BY +i.index_no") \
  X(kUnreadyIndex, "SELECT owner_no, stream_no, upto FROM indexes WHERE upto IS NOT NULL ORDER BY index_no LIMIT 1") \
  X(kRecordsToIndex, "SELECT record_no, key, order_key, stored_body, raw_size FROM records WHERE owner_no = :owner AND stream_no = ?1 AND key > ?2 ORDER BY key") \
  X(kSetIndexUpto, "UPDATE indexes SET upto = ?2 WHERE owner_no = :owner AND index_no = ?1") \
  X(kSetIndexReady, "UPDATE indexes SET upto = NULL WHERE owner_no = :owner AND index_no = ?1") \
  X(kAddEntry, "INSERT INTO index_entries(owner_no, index_no, entry, record_no) VALUES(:owner, ?1, ?2, ?3)") \
  X(kDropEntry, "DELETE FROM index_entries WHERE owner_no = :owner AND index_no = ?1 AND entry = ?2") \
  X(kCountDay, "INSERT INTO index_days(owner_no, index_no, day, records) VALUES(:owner, ?1, ?2, ?3) " \
               "ON CONFLICT(owner_no, index_no, day) DO UPDATE SET records = records + excluded.records") \
  X(kDropEmptyDay, "DELETE FROM index_days WHERE owner_no = :owner AND index_no = ?1 AND day = ?2 AND records = 0") \
  X(kAddBlobRef, "INSERT INTO blob_refs(owner_no, digest, record_no) VALUES(:owner, ?1, ?2)") \
  X(kDropBlobRef, "DELETE FROM blob_refs WHERE owner_no = :owner AND digest = ?1 AND record_no = ?2") \
  /* access */ \
  X(kAccessStatus, "SELECT o.catalog_version, t.token_no, t.expires_at, t.revoked_at, g.grant_no, g.revoked_at, o.suspended_at FROM owners o " \
                   "LEFT JOIN tokens t ON t.owner_no = o.owner_no AND t.token_no = ?2 " \
                   "LEFT JOIN grants g ON g.owner_no = o.owner_no AND g.grant_no = ?3 WHERE o.owner_no = ?1") \
  /* reads */ \
  X(kRecord, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("") " FROM records WHERE owner_no = :owner AND stream_no = ?1 AND key = ?2") \
  X(kChunks, "SELECT value_id, chunk_no, stored, raw_size, sum FROM chunks WHERE owner_no = :owner AND value_id = ?1 " \
             "AND chunk_no BETWEEN ?2 AND ?3 ORDER BY chunk_no") \
  X(kChunksOfValues, "SELECT value_id, chunk_no, stored, raw_size, sum FROM chunks WHERE owner_no = :owner " \
                     "AND value_id >= ?1 AND value_id < ?2 ORDER BY value_id, chunk_no") \
  X(kDirectoryPage, "SELECT page, first, sum FROM directory WHERE owner_no = :owner AND value_id = ?1 AND first <= ?2 ORDER BY first DESC LIMIT 1") \
  X(kCounters, "SELECT record_count, max_version FROM streams WHERE owner_no = :owner AND stream_no = ?1") \
  X(kPageForward, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key FROM records " \
                  "WHERE owner_no = :owner AND stream_no = ?1 AND order_key > ?2 ORDER BY order_key LIMIT ?3") \
  X(kPageBackward, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key FROM records " \
                   "WHERE owner_no = :owner AND stream_no = ?1 AND order_key < ?2 AND order_key >= ?4 ORDER BY order_key DESC LIMIT ?3") \
  X(kKeyPageForward, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key FROM records " \
                     "WHERE owner_no = :owner AND stream_no = ?1 AND key > ?2 ORDER BY key LIMIT ?3") \
  X(kKeyPageBackward, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key FROM records " \
                      "WHERE owner_no = :owner AND stream_no = ?1 AND key < ?2 ORDER BY key DESC LIMIT ?3") \
  X(kChangesOfField, "SELECT version, record_no FROM changes WHERE owner_no = :owner AND stream_no = ?1 AND field_no = ?2 AND version > ?3 " \
                     "AND version <= ?5 ORDER BY version LIMIT ?4") \
  X(kChangedRecord, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key, stream_no FROM records WHERE owner_no = :owner AND record_no = ?1") \
  X(kDeletedRecord, "SELECT key, version, deleted_at, created, consent_time FROM tombstones WHERE owner_no = :owner AND record_no = ?1") \
  X(kIndexPageForward, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("r.") ", r.key, r.stream_no, e.entry " \
                       "FROM index_entries e CROSS JOIN records r ON r.owner_no = e.owner_no AND r.record_no = e.record_no " \
                       "WHERE e.owner_no = :owner AND e.index_no = ?1 AND e.entry >= ?2 AND e.entry < ?3 ORDER BY e.entry LIMIT ?4") \
  X(kIndexPageBackward, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("r.") ", r.key, r.stream_no, e.entry " \
                        "FROM index_entries e CROSS JOIN records r ON r.owner_no = e.owner_no AND r.record_no = e.record_no " \
                        "WHERE e.owner_no = :owner AND e.index_no = ?1 AND e.entry >= ?2 AND e.entry < ?3 ORDER BY e.entry DESC LIMIT ?4") \
  X(kIndexCount, "SELECT count(*) FROM (SELECT 1 FROM index_entries " \
                 "WHERE owner_no = :owner AND index_no = ?1 AND entry >= ?2 AND entry < ?3 LIMIT ?4)") \
  X(kOrderCount, "SELECT count(*) FROM (SELECT 1 FROM records INDEXED BY records_by_order " \
                 "WHERE owner_no = :owner AND stream_no = ?1 AND order_key >= ?2 AND order_key < ?3 LIMIT ?4)") \
  X(kLastOrderKey, "SELECT order_key FROM records WHERE owner_no = :owner AND stream_no = ?1 AND order_key >= ?2 AND order_key < ?3 " \
                   "ORDER BY order_key DESC LIMIT 1") \
  X(kIndexDays, "SELECT day, records FROM index_days WHERE owner_no = :owner AND index_no = ?1 AND day BETWEEN ?2 AND ?3 ORDER BY day") \
  X(kRecordsWithBlob, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("r.") ", r.key, r.stream_no " \
                      "FROM blob_refs b CROSS JOIN records r ON r.owner_no = b.owner_no AND r.record_no = b.record_no " \
                      "WHERE b.owner_no = :owner AND b.digest = ?1 AND b.record_no > ?2 ORDER BY b.record_no LIMIT ?3") \
  X(kBlob, "SELECT size_bytes, mime_type, value_id, sum FROM blobs WHERE owner_no = ?1 AND digest = ?2") \
  /* writes */ \
  X(kStreamState, "SELECT record_count, max_version, next_record_no, block_end, " \
                  "EXISTS(SELECT 1 FROM tombstones t WHERE t.owner_no = :owner AND t.stream_no = ?1) " \
                  "FROM streams WHERE owner_no = :owner AND stream_no = ?1") \
  X(kSetStreamState, "UPDATE streams SET record_count = ?2, max_version = ?3, next_record_no = ?4, block_end = ?5 " \
                     "WHERE owner_no = :owner AND stream_no = ?1") \
  X(kLastBlock, "SELECT size FROM number_blocks INDEXED BY number_blocks_by_stream WHERE owner_no = :owner AND stream_no = ?1 AND kind = ?2 ORDER BY first_no DESC LIMIT 1") \
  X(kAddBlock, "INSERT INTO number_blocks(owner_no, first_no, size, stream_no, kind) VALUES(:owner, ?1, ?2, ?3, ?4)") \
  X(kOldRecord, "SELECT record_no, version, digest, consent_time, field_versions, first_value, value_count, order_key, emitted_at, " \
                "word_mask, text_no, stored_body, key, sum, raw_size FROM records WHERE owner_no = :owner AND stream_no = ?1 AND key = ?2") \
  X(kAddRecord, "INSERT INTO records(owner_no, record_no, stream_no, key, order_key, version, digest, emitted_at, consent_time, " \
                "field_versions, first_value, value_count, word_mask, text_no, stored_body, sum, raw_size) " \
                "VALUES(:owner, ?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, 0, ?13, ?14, ?15) " \
                "ON CONFLICT(owner_no, stream_no, key) DO NOTHING") \
  X(kSetRecord, "UPDATE records SET order_key = ?2, version = ?3, digest = ?4, emitted_at = ?5, consent_time = ?6, " \
                "field_versions = ?7, first_value = ?8, value_count = ?9, word_mask = ?10, text_no = ?11, stored_body = ?12, sum = ?13, " \
                "raw_size = ?14 " \
                "WHERE owner_no = :owner AND record_no = ?1") \
  X(kChangesOfRecord, "SELECT field_no, version FROM changes WHERE owner_no = :owner AND stream_no = ?1 AND record_no = ?2") \
  X(kDirectoryPages, "SELECT value_id, page, first, sum FROM directory WHERE owner_no = :owner AND value_id BETWEEN ?1 AND ?2") \
  X(kDropRecord, "DELETE FROM records WHERE owner_no = :owner AND record_no = ?1") \
  X(kAddChange, "INSERT INTO changes(owner_no, stream_no, field_no, version, record_no) VALUES(:owner, ?1, ?2, ?3, ?4)") \
  X(kDropChange, "DELETE FROM changes WHERE owner_no = :owner AND stream_no = ?1 AND field_no = ?2 AND version = ?3") \
  X(kAddTombstone, "INSERT INTO tombstones(owner_no, record_no, stream_no, key, version, created, consent_time, deleted_at) " \
                   "VALUES(:owner, ?1, ?2, ?3, ?4, ?5, ?6, ?7)") \
  X(kDropTombstone, "DELETE FROM tombstones WHERE owner_no = :owner AND stream_no = ?1 AND key = ?2 RETURNING version, created") \
  X(kAddChunk, "INSERT INTO chunks(owner_no, value_id, chunk_no, stored, raw_size, sum) VALUES(:owner, ?1, ?2, ?3, ?4, ?5)") \
  X(kAddDirectoryPage, "INSERT INTO directory(owner_no, value_id, first, page, sum) VALUES(:owner, ?1, ?2, ?3, ?4)") \
  X(kAddBlob, "INSERT INTO blobs(owner_no, digest, size_bytes, mime_type, value_id, sum) VALUES(?1, ?2, ?3, ?4, ?5, ?6) " \
              "ON CONFLICT(owner_no, digest) DO UPDATE SET size_bytes = excluded.size_bytes, mime_type = excluded.mime_type, " \
              "value_id = excluded.value_id, sum = excluded.sum") \
  X(kDropUnusedBlob, "DELETE FROM blobs WHERE owner_no = :owner AND digest = ?1 AND NOT EXISTS " \
                     "(SELECT 1 FROM blob_refs WHERE owner_no = :owner AND digest = ?1) RETURNING value_id") \
  /* values that no record points at */ \
  X(kAddLoose, "INSERT INTO loose_values(owner_no, first_value, value_count, state, touched_at, word_generation, uses) " \
               "VALUES(:owner, ?1, ?2, ?3, ?4, ?5, ?6)") \
  X(kTouchStaged, "UPDATE loose_values SET touched_at = ?2 WHERE owner_no = :owner AND first_value = ?1 AND state = 0") \
  X(kStagedEpoch, "SELECT word_generation FROM loose_values WHERE owner_no = :owner AND first_value = ?1 AND value_count = ?2 AND state = 0") \
  X(kAttachStaged, "DELETE FROM loose_values WHERE owner_no = :owner AND first_value = ?1 AND value_count = ?2 AND state = 0") \
  X(kKillStaged, "UPDATE loose_values SET state = 1, touched_at = ?2 WHERE owner_no = :owner AND first_value = ?1 AND state = 0") \
  X(kAbandoned, "SELECT 1 FROM loose_values WHERE owner_no = :owner AND state = 0 AND touched_at <= ?1 LIMIT 1") \
  X(kKillAbandoned, "UPDATE loose_values SET state = 1 WHERE owner_no = :owner AND state = 0 AND touched_at <= ?1") \
  X(kNextLoose, "SELECT first_value, value_count FROM loose_values WHERE owner_no = :owner AND state = 1 AND first_value NOT IN " \
                "(SELECT uses FROM loose_values WHERE owner_no = :owner AND uses > 0) LIMIT ?1") \
  X(kDropLoose, "DELETE FROM loose_values WHERE owner_no = :owner AND first_value = ?1") \
  X(kDropSomeChunks, "DELETE FROM chunks WHERE rowid IN (SELECT rowid FROM chunks WHERE owner_no = :owner AND value_id BETWEEN ?1 AND ?2 LIMIT ?3)") \
  X(kSomeDirectoryPages, "SELECT value_id, first FROM directory WHERE owner_no = :owner AND value_id BETWEEN ?1 AND ?2 " \
                         "ORDER BY value_id, first LIMIT ?3") \
  X(kDropDirectoryPage, "DELETE FROM directory WHERE owner_no = :owner AND value_id = ?1 AND first = ?2") \
  /* dropped indexes and old tombstones */ \
  X(kNextDeadIndex, "SELECT index_no FROM dead_indexes WHERE owner_no = :owner LIMIT 1") \
  X(kDropSomeEntries, "DELETE FROM index_entries WHERE owner_no = :owner AND index_no = ?1 AND entry <= (SELECT max(entry) FROM " \
                      "(SELECT entry FROM index_entries WHERE owner_no = :owner AND index_no = ?1 ORDER BY entry LIMIT ?2))") \
  X(kDropSomeDays, "DELETE FROM index_days WHERE owner_no = :owner AND index_no = ?1 AND day <= (SELECT max(day) FROM " \
                   "(SELECT day FROM index_days WHERE owner_no = :owner AND index_no = ?1 ORDER BY day LIMIT ?2))") \
  X(kDropDeadIndex, "DELETE FROM dead_indexes WHERE owner_no = :owner AND index_no = ?1") \
  X(kOldTombstone, "SELECT record_no, stream_no, version FROM tombstones WHERE owner_no = :owner AND deleted_at < ?1 ORDER BY deleted_at LIMIT 1") \
  X(kDropOldTombstone, "DELETE FROM tombstones WHERE owner_no = :owner AND record_no = ?1") \
  /* invariants */ \
  X(kEntryOwner, "SELECT record_no FROM index_entries WHERE owner_no = :owner AND index_no = ?1 AND entry = ?2") \
  X(kBlobRef, "SELECT 1 FROM blob_refs WHERE owner_no = :owner AND digest = ?1 AND record_no = ?2") \
  X(kChangeEntry, "SELECT record_no FROM changes WHERE owner_no = :owner AND stream_no = ?1 AND field_no = ?2 AND version = ?3") \
  X(kChunkTotals, "SELECT count(*), ifnull(sum(ifnull(raw_size, length(stored))), 0), ifnull(max(chunk_no) + 1, 0), " \
                  "ifnull(max(ifnull(raw_size, length(stored))), 0) FROM chunks WHERE owner_no = :owner AND value_id = ?1") \
  LADDER_SQLITE_WORD_STATEMENTS(X)
// clang-format on

enum class Sql : std::uint8_t {
#define LADDER_SQLITE_ENUM(name, text) name,
  LADDER_SQLITE_STATEMENTS(LADDER_SQLITE_ENUM)
#undef LADDER_SQLITE_ENUM
};

#define LADDER_SQLITE_COUNT(name, text) +1
inline constexpr std::size_t kStatementCount = 0 LADDER_SQLITE_STATEMENTS(LADDER_SQLITE_COUNT);
#undef LADDER_SQLITE_COUNT

}  // namespace ladder::store::sqlite
