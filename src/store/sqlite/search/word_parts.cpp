#include "store/sqlite/search/word_parts.h"

#include "store/sqlite/search/fts5_format.h"
#include "store/sqlite/upkeep/word_merge.h"
#include "store/text/words.h"

#include <array>
#include <string_view>

namespace ladder::store::sqlite {
namespace {

constexpr int kRecordBits = 18;  // of the numbers in a part
constexpr int kTextBits = 13;    // of texts, each of which has several rows

#define LADDER_COLUMNS                                                                                                       \
  "c0, c1, c2, c3, c4, c5, c6, c7, c8, c9, c10, c11, c12, c13, c14, c15, c16, c17, c18, c19, c20, c21, c22, c23, c24, c25, " \
  "c26, "                                                                                                                    \
  "c27, c28, c29, c30, c31"
#define LADDER_VALUES                                                                                                          \
  "?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21, ?22, ?23, ?24, ?25, ?26, ?27, " \
  "?28, ?29, ?30, ?31, ?32, ?33"

// By PartSql.
constexpr std::array kTexts = {
    "INSERT INTO $(rowid, " LADDER_COLUMNS ") VALUES(?1, " LADDER_VALUES ")",
    "INSERT INTO $($, rowid, " LADDER_COLUMNS ") VALUES('delete', ?1, " LADDER_VALUES ")",
    "SELECT rowid FROM $ WHERE $ MATCH ?1 AND rowid BETWEEN ?2 AND ?3 AND ladder_hit($)",
    "INSERT INTO $($, rank) VALUES('merge', ?1)",
    "SELECT block FROM $_data WHERE id = 10",
    "INSERT INTO $_data(id, block) VALUES(10, ?1) ON CONFLICT(id) DO UPDATE SET block = excluded.block",
    "SELECT block FROM $_data WHERE id = ?1",
    "SELECT pgno FROM $_idx WHERE segid = ?1 AND term <= ?2 ORDER BY term DESC LIMIT 1",
    "SELECT v FROM $_config WHERE k = 'version'",
    "INSERT INTO $($) VALUES('optimize')",
};

// FTS5 merges nothing of its own accord, but for an emergency that should not come; word_merge.h has the reasons. usermerge is
// the number of segments from which it merges when asked to; hashsize, how much it gathers in memory before it writes a segment:
// all that a transaction in bulk has.
constexpr const char* kMake = "CREATE VIRTUAL TABLE $ USING fts5(" LADDER_COLUMNS
                              ", content='', columnsize=0, detail=full, tokenize='ladder');"
                              "INSERT INTO $($, rank) VALUES('automerge', 0);"
                              "INSERT INTO $($, rank) VALUES('hashsize', 8388608);"
                              "INSERT INTO $($, rank) VALUES('usermerge', 8);"
                              "INSERT INTO $($, rank) VALUES('crisismerge', 1000);";

#undef LADDER_COLUMNS
#undef LADDER_VALUES

// FTS5's structure record of an empty table: a cookie of four bytes, no levels, no segments, nothing written.
constexpr std::string_view kNoSegments("\0\0\0\0\0\0\0", 7);

int bits_of(NumberKind kind) { return kind == NumberKind::kRecords ? kRecordBits : kTextBits; }

std::string filled_in(std::string_view text, std::string_view table) {
  std::string sql;
  for (const char c : text) {
    if (c == '$') sql += table;
    else sql += c;
  }
  return sql;
}

}  // namespace

std::string WordPart::table() const { return (kind == NumberKind::kRecords ? "words_r" : "words_t") + std::to_string(no); }

std::int64_t WordPart::first_number() const { return no << bits_of(kind); }

std::int64_t WordPart::end_number() const { return (no + 1) << bits_of(kind); }

WordPart part_of(NumberKind kind, std::int64_t number) { return {kind, number >> bits_of(kind)}; }

Result<std::vector<WordPart>> word_parts(Connection& connection) {
  std::vector<WordPart> parts;
  Statement rows = connection.use(Sql::kWordParts);
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return parts;
    parts.push_back(WordPart::of_id(rows.integer_at(0)));
  }
}

Status make_part(Connection& connection, const WordPart& part) {
  LADDER_CHECK(connection.use(Sql::kAddWordPart).integer(1, part.id()).run());
  if (connection.rows_changed() == 0) return {};
  // The one before it is hardly written to any more: put in order once, it is searched the faster.
  LADDER_CHECK(connection.use(Sql::kTidyPartBefore).integer(1, part.id()).run());
  return connection.execute(filled_in(kMake, part.table()).c_str());
}

// FTS5 reads its structure record before it drops anything: an empty one lets it continue even if the record was damaged. A
// record of a format that this program does not know is left to FTS5.
Status drop_word_table(Connection& connection, const std::string& table) {
  if (!fts5_pages_are_known()) return connection.execute(("DROP TABLE " + table).c_str());
  const std::string sql = filled_in(kTexts[static_cast<std::size_t>(PartSql::kSetSegments)], table);
  LADDER_CHECK(connection.prepare(sql.c_str()).blob(1, kNoSegments).run());
  return connection.execute(("DROP TABLE " + table).c_str());
}

Status drop_parts(Connection& connection) {
  LADDER_TRY(const std::vector<WordPart> parts, word_parts(connection));
  for (const WordPart& part : parts) LADDER_CHECK(drop_word_table(connection, part.table()));
  return connection.execute("DELETE FROM word_parts");
}

Statement use_part(Connection& connection, PartSql statement, const WordPart& part) {
  const auto which = static_cast<std::size_t>(statement);
  const std::int64_t key = part.id() * static_cast<std::int64_t>(kTexts.size()) + static_cast<std::int64_t>(which);
  return connection.use(key, [&] { return filled_in(kTexts[which], part.table()); });
}

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

-- the FTS5 tables there are (word_parts.h): number * 2, and 1 more for one of texts. dirty: words were removed that still lie in
-- the file; erasing: segments that are being rewritten without such
CREATE TABLE word_parts(
  part INTEGER PRIMARY KEY,
  dirty INTEGER NOT NULL,
  erasing BLOB NOT NULL);

INSERT INTO meta(key, value) VALUES('next_epoch', 1);
)sql";

// Every column is to be built, and no staged set of values fits any more, whatever words it has.
constexpr const char* kEmptyWords = R"sql(
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

Status repair_in_transaction(Connection& connection) {
  LADDER_TRY(const std::vector<WordPart> parts, word_parts(connection));
  for (const WordPart& part : parts) LADDER_CHECK(bound_levels(connection, part));
  LADDER_TRY(const bool usable, words_are_usable(connection));
  return usable ? Status{} : empty_words(connection);
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
  LADDER_CHECK(drop_parts(connection));
  LADDER_CHECK(connection.execute(kEmptyWords));
  return note_words_version(connection);
}

Result<bool> words_are_usable(Connection& connection) {
  LADDER_TRY(const std::vector<WordPart> parts, word_parts(connection));
  for (const WordPart& part : parts) {
    LADDER_TRY(const bool known, pages_are_known(connection, part));
    if (!known) continue;  // FTS5 itself says whether it can read the part; an index is never dropped for its format
    Statement row = use_part(connection, PartSql::kSegments, part);
    LADDER_TRY(const bool found, row.step());
    const std::optional<WordSegments> segments = found ? parse_segments(row.bytes_at(0)) : std::nullopt;
    if (!segments || segments->levels.size() > kFts5MostLevels || segments->ids().size() > kFts5MostLevels) return false;
  }
  return true;
}

Status repair_words(Connection& connection) { return in_transaction(connection, repair_in_transaction); }

}  // namespace ladder::store::sqlite
