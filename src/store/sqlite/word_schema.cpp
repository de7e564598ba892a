#include "store/sqlite/word_schema.h"

#include "store/words.h"

namespace ladder::store::sqlite {
namespace {

// Row id = record number or text number << 20 | number of the passage. Merging is Ladder's own business (word_merge.h).
constexpr const char* kMakeWords = R"sql(
CREATE VIRTUAL TABLE words USING fts5(
  c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, c26, c27,
  c28, c29, c30, c31, content='', columnsize=0, detail=full, tokenize='ladder');
INSERT INTO words(words, rank) VALUES('automerge', 0);
INSERT INTO words(words, rank) VALUES('crisismerge', 1000);
)sql";

// Every column is to be built, and no staged set of values fits any more, whatever words it has.
constexpr const char* kEmptyWords = R"sql(
DROP TABLE words;
DELETE FROM texts;
DELETE FROM passages;
DELETE FROM word_columns WHERE state = 2;
UPDATE word_columns SET state = 1;
UPDATE records SET word_mask = 0, text_no = 0 WHERE word_mask <> 0;
UPDATE streams SET words_upto = x'', words_epoch = words_epoch + (SELECT value FROM meta WHERE key = 'next_epoch')
  WHERE words_epoch <> 0;
UPDATE meta SET value = value * 2 WHERE key = 'next_epoch';
UPDATE meta SET value = 0 WHERE key = 'words_dirty';
UPDATE meta SET value = x'' WHERE key = 'words_erasing';
UPDATE owners SET catalog_version = catalog_version + 1;
)sql";

Status note_version(Connection& connection) {
  return connection
      .prepare("INSERT INTO meta(key, value) VALUES('words_version', ?1) ON CONFLICT(key) DO UPDATE SET value = excluded.value")
      .integer(1, kWordsVersion)
      .run();
}

}  // namespace

Status make_words(Connection& connection) {
  LADDER_CHECK(connection.execute(kMakeWords));
  return note_version(connection);
}

namespace {

Status empty_words(Connection& connection) {
  LADDER_CHECK(connection.execute("BEGIN IMMEDIATE"));
  LADDER_CHECK(connection.execute(kEmptyWords));
  LADDER_CHECK(make_words(connection));
  return connection.execute("COMMIT");
}

}  // namespace

Result<bool> words_are_current(Connection& connection) {
  LADDER_TRY(const std::int64_t version, connection.read_integer("SELECT value FROM meta WHERE key = 'words_version'"));
  return version == kWordsVersion;
}

Status renew_words(Connection& connection) {
  LADDER_TRY(const bool current, words_are_current(connection));
  if (current) return {};
  Status done = empty_words(connection);
  if (!done) connection.roll_back();
  return done;
}

}  // namespace ladder::store::sqlite
