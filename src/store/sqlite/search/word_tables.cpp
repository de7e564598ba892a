#include "store/sqlite/search/word_tables.h"

#include "store/text/words.h"

namespace ladder::store::sqlite {
namespace {

// records is made anew rather than given columns, since those would stand behind the body.
constexpr const char* kWordTables = R"sql(
ALTER TABLE fields ADD COLUMN searched INTEGER NOT NULL DEFAULT 0; -- 1: its words are found

-- text numbers [next_text, text_end) are the unused rest of the stream's newest block of those. words_epoch tells one set of word
-- columns from another, over all streams; 0: it never had any. words_upto: NULL when every record has the words of its columns,
-- otherwise the key up to which records have ('': none yet)
ALTER TABLE streams ADD COLUMN next_text INTEGER NOT NULL DEFAULT 0;
ALTER TABLE streams ADD COLUMN text_end INTEGER NOT NULL DEFAULT 0;
ALTER TABLE streams ADD COLUMN words_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE streams ADD COLUMN words_upto BLOB;

ALTER TABLE number_blocks ADD COLUMN kind INTEGER NOT NULL DEFAULT 0; -- 0 record numbers, 1 text numbers
DROP INDEX number_blocks_by_stream;
CREATE INDEX number_blocks_by_stream ON number_blocks(stream_no, kind, first);

-- word_mask: columns whose words are in the index; text_no: 0, or the text number under which they are
ALTER TABLE records RENAME TO wordless_records;
CREATE TABLE records(
  record_no INTEGER PRIMARY KEY,
  stream_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  order_key BLOB NOT NULL,
  version INTEGER NOT NULL,
  digest BLOB NOT NULL,
  emitted_at TEXT NOT NULL,
  consent_time INTEGER,
  field_versions BLOB NOT NULL,
  first_value INTEGER NOT NULL,
  value_count INTEGER NOT NULL,
  word_mask INTEGER NOT NULL,
  text_no INTEGER NOT NULL,
  body BLOB NOT NULL);
INSERT INTO records
  SELECT record_no, stream_no, key, order_key, version, digest, emitted_at, consent_time, field_versions, first_value, value_count,
         0, 0, body FROM wordless_records ORDER BY record_no;
DROP TABLE wordless_records;
CREATE UNIQUE INDEX records_by_key ON records(stream_no, key);
CREATE INDEX records_by_order ON records(stream_no, order_key);

-- words_epoch: of the columns for which the words of the set were staged, or 0; uses: the set whose chunks are needed to remove
-- the words of this one's texts, or 0
ALTER TABLE loose_values ADD COLUMN words_epoch INTEGER NOT NULL DEFAULT 0;
ALTER TABLE loose_values ADD COLUMN uses INTEGER NOT NULL DEFAULT 0;

-- searched fields: 0 ready, 1 building, 2 dropping
CREATE TABLE word_columns(
  stream_no INTEGER NOT NULL,
  column_no INTEGER NOT NULL,
  field_no INTEGER NOT NULL,
  state INTEGER NOT NULL,
  PRIMARY KEY(stream_no, column_no)) WITHOUT ROWID;

-- numbers under which the words of a record lie that needs several rows; record_no 0: nobody sees them, loose tells the set of
-- values they go with. shared: the record has more than one
CREATE TABLE texts(
  text_no INTEGER PRIMARY KEY,
  record_no INTEGER NOT NULL,
  loose INTEGER NOT NULL,
  shared INTEGER NOT NULL);
CREATE INDEX texts_by_record ON texts(record_no) WHERE record_no > 0;
CREATE INDEX texts_by_loose ON texts(loose) WHERE loose > 0;
CREATE INDEX texts_shared ON texts(text_no) WHERE shared > 0;

-- chars [start_char, end_char) of a value, or with value 0 of a short field, whose words are in the row
CREATE TABLE passages(
  row_id INTEGER PRIMARY KEY,
  value_id INTEGER NOT NULL,
  column_no INTEGER NOT NULL,
  start_char INTEGER NOT NULL,
  end_char INTEGER NOT NULL);

-- the word index (store/postings). into_no: the segment that this one is being merged into, its own number where others are
-- merged into it, 0 without a merge
CREATE TABLE word_segments(
  owner_no INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  blocks INTEGER NOT NULL,
  first_row INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  into_no INTEGER NOT NULL,
  PRIMARY KEY(owner_no, segment_no)) WITHOUT ROWID;

CREATE TABLE word_blocks(
  owner_no INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  block BLOB NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY(owner_no, segment_no, key));

-- rows of a stream whose words the sweep removes from all blocks, once the stream has no records; how far it has come
CREATE TABLE word_purges(
  owner_no INTEGER NOT NULL,
  stream_no INTEGER NOT NULL,
  first_row INTEGER NOT NULL,
  last_row INTEGER NOT NULL,
  segment_no INTEGER NOT NULL,
  key BLOB NOT NULL,
  PRIMARY KEY(owner_no, stream_no, first_row)) WITHOUT ROWID;

INSERT INTO meta(key, value) VALUES('next_epoch', 1);
)sql";

// Every column is to be built, and no staged set of values fits any more, whatever words it has.
constexpr const char* kEmptyWords = R"sql(
DELETE FROM word_segments;
DELETE FROM word_blocks;
DELETE FROM word_purges;
DELETE FROM texts;
DELETE FROM passages;
DELETE FROM word_columns WHERE state = 2;
UPDATE word_columns SET state = 1;
UPDATE records SET word_mask = 0, text_no = 0 WHERE word_mask <> 0;
UPDATE streams SET words_upto = x'', words_epoch = words_epoch + (SELECT value FROM meta WHERE key = 'next_epoch')
  WHERE words_epoch <> 0;
UPDATE meta SET value = value * 2 WHERE key = 'next_epoch';
UPDATE owners SET catalog_version = catalog_version + 1;
)sql";

Status in_transaction(Connection& connection, Status (*work)(Connection&)) {
  LADDER_CHECK(connection.execute("BEGIN IMMEDIATE"));
  Status done = work(connection);
  if (done) done = connection.execute("COMMIT");
  if (!done) connection.roll_back();
  return done;
}

}  // namespace

// Some stores of schema 1 have them already: they were made with them, before there was this step.
Status add_word_tables(Connection& connection) {
  LADDER_TRY(const std::int64_t there, connection.read_integer("SELECT count(*) FROM meta WHERE key = 'words_version'"));
  if (there > 0) return {};
  LADDER_CHECK(connection.execute(kWordTables));
  return note_words_version(connection);
}

// SQLite's count of schema changes grows with it, whatever else happens, so that every writer looks again.
Status note_words_version(Connection& connection) {
  LADDER_CHECK(connection.execute("CREATE TABLE words_version(x); DROP TABLE words_version"));
  return connection
      .prepare("INSERT INTO meta(key, value) VALUES('words_version', ?1) ON CONFLICT(key) DO UPDATE SET value = excluded.value")
      .integer(1, kWordsVersion)
      .run();
}

Result<bool> words_are_current(Connection& connection) {
  LADDER_TRY(const std::int64_t version, connection.read_integer("SELECT value FROM meta WHERE key = 'words_version'"));
  return version == kWordsVersion;
}

Status renew_words(Connection& connection) {
  LADDER_TRY(const bool current, words_are_current(connection));
  return current ? Status{} : in_transaction(connection, empty_words);
}

Status empty_words(Connection& connection) {
  LADDER_CHECK(connection.execute(kEmptyWords));
  return note_words_version(connection);
}

}  // namespace ladder::store::sqlite
