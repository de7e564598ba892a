#include "store/sqlite/engine/word_tables.h"

#include "text/words.h"

namespace ladder::store::sqlite {
namespace {

// Marks every column for building, and changes all generations so that no staged set of values matches any more.
constexpr const char* kEmptyWords = R"sql(
DELETE FROM word_segments;
DELETE FROM word_blocks;
DELETE FROM word_purges;
DELETE FROM texts;
DELETE FROM passages;
DELETE FROM word_columns WHERE state = 2;
UPDATE word_columns SET state = 1;
UPDATE records SET word_mask = 0, text_no = 0 WHERE word_mask <> 0;
UPDATE streams SET words_upto = x'', word_generation = nextval('word_generation') WHERE word_generation <> 0;
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

// Creating and dropping a table increments SQLite's schema version, so that every writer checks the version again.
Status store_words_version(Connection& connection) {
  LADDER_CHECK(connection.execute("CREATE TABLE words_version(x); DROP TABLE words_version"));
  return connection
      .prepare("INSERT INTO meta(key, value) VALUES('words_version', ?1) ON CONFLICT(key) DO UPDATE SET value = excluded.value")
      .integer(1, text::kWordsVersion)
      .run();
}

Result<bool> words_are_current(Connection& connection) {
  LADDER_TRY(const std::int64_t version, connection.read_integer("SELECT value FROM meta WHERE key = 'words_version'"));
  return version == text::kWordsVersion;
}

Status empty_stale_words(Connection& connection) {
  LADDER_TRY(const bool current, words_are_current(connection));
  return current ? Status{} : in_transaction(connection, clear_word_index);
}

Status clear_word_index(Connection& connection) {
  LADDER_CHECK(connection.execute(kEmptyWords));
  return store_words_version(connection);
}

}  // namespace ladder::store::sqlite
