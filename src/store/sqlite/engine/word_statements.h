// The prepared statements for words: columns, texts, passages, and blocks of the index. statements.h includes them in its list.
#pragma once

// clang-format off
#define LADDER_SQLITE_WORD_STATEMENTS(X) \
  /* columns */ \
  X(kColumnsOfStream, "SELECT w.column_no, w.field_no, w.state, f.name FROM word_columns w " \
                      "JOIN fields f ON f.owner_no = w.owner_no AND f.field_no = w.field_no " \
                      "WHERE w.owner_no = :owner AND w.stream_no = ?1 ORDER BY w.column_no") \
  X(kWordsEpoch, "SELECT word_generation FROM streams WHERE owner_no = :owner AND stream_no = ?1") \
  /* bringing records into columns */ \
  X(kUnreadyWords, "SELECT owner_no, stream_no, words_upto FROM streams WHERE words_upto IS NOT NULL ORDER BY stream_no LIMIT 1") \
  X(kRecordsForWords, "SELECT key, record_no, word_mask, text_no, first_value, value_count, stored_body, raw_size FROM records " \
                      "WHERE owner_no = :owner AND stream_no = ?1 AND key > ?2 ORDER BY key LIMIT ?3") \
  X(kSetWordsUpto, "UPDATE streams SET words_upto = ?2 WHERE owner_no = :owner AND stream_no = ?1") \
  X(kSetColumnsReady, "UPDATE word_columns SET state = 0 WHERE owner_no = :owner AND stream_no = ?1 AND state = 1") \
  X(kDropDroppedColumns, "DELETE FROM word_columns WHERE owner_no = :owner AND stream_no = ?1 AND state = 2") \
  X(kSetRecordWords, "UPDATE records SET word_mask = ?2, text_no = ?3 WHERE owner_no = :owner AND record_no = ?1") \
  X(kRecordWords, "SELECT word_mask, text_no, first_value FROM records WHERE owner_no = :owner AND record_no = ?1") \
  /* texts and passages */ \
  X(kTakeText, "UPDATE streams SET next_text = next_text + 1 WHERE owner_no = :owner AND stream_no = ?1 AND next_text < text_end " \
               "RETURNING next_text - 1") \
  X(kSetTexts, "UPDATE streams SET next_text = ?2, text_end = ?3 WHERE owner_no = :owner AND stream_no = ?1") \
  X(kAddText, "INSERT INTO texts(owner_no, text_no, record_no, loose, shared) VALUES(:owner, ?1, ?2, ?3, ?4)") \
  X(kShareTextsOfLoose, "UPDATE texts SET shared = 1 WHERE owner_no = :owner AND loose = ?1 AND loose <> 0") \
  X(kShareTextsOfRecord, "UPDATE texts SET shared = 1 WHERE owner_no = :owner AND record_no = ?1 AND record_no <> 0") \
  X(kFirstTextOfLoose, "SELECT min(text_no) FROM texts INDEXED BY texts_by_loose WHERE owner_no = :owner AND loose = ?1 AND loose <> 0") \
  X(kTextsOfLoose, "SELECT min(text_no), max(text_no) FROM texts WHERE owner_no = :owner AND loose = ?1 AND loose <> 0") \
  X(kMoveTexts, "UPDATE texts SET loose = ?2 WHERE owner_no = :owner AND loose = ?1 AND loose <> 0") \
  X(kStagedUser, "SELECT first_value FROM loose_values WHERE owner_no = :owner AND uses = ?1 AND word_generation = ?2 AND state = 0 LIMIT 1") \
  X(kShowTexts, "UPDATE texts SET record_no = ?2, loose = 0 WHERE owner_no = :owner AND loose = ?1 AND loose <> 0") \
  X(kHideTexts, "UPDATE texts SET record_no = 0, loose = ?2 WHERE owner_no = :owner AND record_no = ?1 AND record_no <> 0") \
  X(kDropTextsOfRecord, "DELETE FROM texts WHERE owner_no = :owner AND record_no = ?1 AND record_no <> 0") \
  X(kDeadText, "SELECT t.text_no FROM texts t CROSS JOIN loose_values l ON l.owner_no = t.owner_no AND l.first_value = t.loose " \
               "WHERE t.owner_no = :owner AND t.loose <> 0 AND l.state = 1 LIMIT 1") \
  X(kDropText, "DELETE FROM texts WHERE owner_no = :owner AND text_no = ?1") \
  X(kAddPassage, "INSERT INTO passages(owner_no, row_id, value_id, column_no, start_char, end_char) VALUES(:owner, ?1, ?2, ?3, ?4, ?5)") \
  X(kDropPassage, "DELETE FROM passages WHERE owner_no = :owner AND row_id = ?1") \
  X(kDropPassages, "DELETE FROM passages WHERE owner_no = :owner AND row_id BETWEEN ?1 AND ?2") \
  X(kPassagesBetween, "SELECT row_id, value_id, column_no, start_char, end_char FROM passages " \
                      "WHERE owner_no = :owner AND row_id BETWEEN ?1 AND ?2 ORDER BY row_id LIMIT ?3") \
  X(kLastPassage, "SELECT row_id, value_id, column_no, start_char, end_char FROM passages " \
                  "WHERE owner_no = :owner AND row_id BETWEEN ?1 AND ?2 ORDER BY row_id DESC LIMIT 1") \
  /* segments and blocks (posting_rows.h) */ \
  X(kWordSegments, "SELECT segment_no, blocks, first_row, last_row, into_no FROM word_segments WHERE owner_no = ?1 " \
                   "ORDER BY segment_no") \
  X(kOwnersWithWords, "SELECT DISTINCT owner_no FROM word_segments ORDER BY owner_no") \
  X(kNextSegmentNo, "SELECT ifnull(max(segment_no), 0) + 1 FROM word_segments WHERE owner_no = ?1") \
  X(kPutSegment, "INSERT OR REPLACE INTO word_segments(owner_no, segment_no, blocks, first_row, last_row, into_no) " \
                 "VALUES(?1, ?2, ?3, ?4, ?5, ?6)") \
  X(kDropSegment, "DELETE FROM word_segments WHERE owner_no = ?1 AND segment_no = ?2") \
  X(kWordBlockRow, "SELECT rowid FROM word_blocks WHERE owner_no = ?1 AND segment_no = ?2 AND key <= ?3 ORDER BY key DESC LIMIT 1") \
  X(kWordBlock, "SELECT key, block, sum FROM word_blocks WHERE rowid = ?1") \
  X(kWordBlocksAfter, "SELECT key, block, sum FROM word_blocks WHERE owner_no = ?1 AND segment_no = ?2 AND key > ?3 " \
                      "ORDER BY key LIMIT ?4") \
  X(kAddWordBlock, "INSERT INTO word_blocks(owner_no, segment_no, key, block, sum) VALUES(?1, ?2, ?3, ?4, ?5)") \
  X(kReplaceWordBlock, "UPDATE word_blocks SET key = ?4, block = ?5, sum = ?6 WHERE owner_no = ?1 AND segment_no = ?2 AND key = ?3") \
  X(kDropWordBlock, "DELETE FROM word_blocks WHERE owner_no = ?1 AND segment_no = ?2 AND key = ?3") \
  X(kPurgeStream, "INSERT OR REPLACE INTO word_purges(owner_no, stream_no, first_row, last_row, segment_no, key) " \
                  "SELECT :owner, stream_no, first_no << 20, ((first_no + size) << 20) - 1, 0, x'' FROM number_blocks " \
                  "WHERE owner_no = :owner AND stream_no = ?1") \
  X(kPurgesDue, "SELECT p.owner_no, p.first_row, p.last_row, p.segment_no, p.key FROM word_purges p " \
                "JOIN streams s ON s.owner_no = p.owner_no AND s.stream_no = p.stream_no WHERE s.record_count = 0 " \
                "ORDER BY p.owner_no, p.segment_no, p.key, p.first_row") \
  X(kPurgeOfRow, "SELECT 1 FROM word_purges WHERE owner_no = ?1 AND ?2 BETWEEN first_row AND last_row LIMIT 1") \
  X(kSetPurge, "UPDATE word_purges SET segment_no = ?3, key = ?4 WHERE owner_no = ?1 AND first_row = ?2") \
  X(kDropPurge, "DELETE FROM word_purges WHERE owner_no = ?1 AND first_row = ?2") \
  /* searching */ \
  X(kNumbersTaken, "SELECT next FROM counters WHERE owner_no = :owner AND name = 'record_no'") \
  X(kAllBlocks, "SELECT stream_no, kind, first_no, size FROM number_blocks WHERE owner_no = :owner ORDER BY stream_no, kind, first_no") \
  X(kBlocksOfStream, "SELECT first_no, size FROM number_blocks INDEXED BY number_blocks_by_stream WHERE owner_no = :owner AND stream_no = ?1 AND kind = ?2 ORDER BY first_no") \
  X(kNumbersInOrder, "SELECT record_no FROM records INDEXED BY records_by_order " \
                     "WHERE owner_no = :owner AND stream_no = ?1 AND order_key >= ?2 AND order_key < ?3 LIMIT ?4") \
  X(kNumbersInIndex, "SELECT record_no FROM index_entries WHERE owner_no = :owner AND index_no = ?1 AND entry >= ?2 AND entry < ?3 LIMIT ?4") \
  X(kRecordsOfStream, "SELECT record_count FROM streams WHERE owner_no = :owner AND stream_no = ?1") \
  X(kNumberOfKey, "SELECT record_no FROM records WHERE owner_no = :owner AND stream_no = ?1 AND key = ?2") \
  X(kSharedTexts, "SELECT text_no, record_no FROM texts INDEXED BY texts_shared WHERE owner_no = :owner AND shared <> 0 AND record_no <> 0 ORDER BY text_no") \
  X(kTextRecord, "SELECT record_no FROM texts WHERE owner_no = :owner AND text_no = ?1") \
  X(kTextsOfRecord, "SELECT text_no FROM texts INDEXED BY texts_by_record WHERE owner_no = :owner AND record_no = ?1 AND record_no <> 0 ORDER BY text_no") \
  X(kConsentTime, "SELECT consent_time FROM records WHERE owner_no = :owner AND record_no = ?1") \
  X(kPlaceOfRecord, "SELECT consent_time, key FROM records WHERE owner_no = :owner AND record_no = ?1") \
  X(kRecordByNo, "SELECT " LADDER_SQLITE_RECORD_COLUMNS("") ", key, stream_no, text_no, consent_time FROM records WHERE owner_no = :owner AND record_no = ?1") \
  X(kPassage, "SELECT column_no, start_char, end_char FROM passages WHERE owner_no = :owner AND row_id = ?1")
// clang-format on
