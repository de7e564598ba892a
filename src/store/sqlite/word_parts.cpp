#include "store/sqlite/word_parts.h"

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

Status drop_parts(Connection& connection) {
  LADDER_TRY(const std::vector<WordPart> parts, word_parts(connection));
  for (const WordPart& part : parts) {
    // FTS5 reads its structure record before it drops anything: an empty one lets it go on whatever stood there.
    LADDER_CHECK(use_part(connection, PartSql::kSetSegments, part).blob(1, kNoSegments).run());
    LADDER_CHECK(connection.execute(("DROP TABLE " + part.table()).c_str()));
  }
  return connection.execute("DELETE FROM word_parts");
}

Statement use_part(Connection& connection, PartSql statement, const WordPart& part) {
  const auto which = static_cast<std::size_t>(statement);
  const std::int64_t key = part.id() * static_cast<std::int64_t>(kTexts.size()) + static_cast<std::int64_t>(which);
  return connection.use(key, [&] { return filled_in(kTexts[which], part.table()); });
}

}  // namespace ladder::store::sqlite
