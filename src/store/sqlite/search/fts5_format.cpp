#include "store/sqlite/search/fts5_format.h"

#include "base/text/format.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/posting_list.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t kKnownVersion = 4;  // of FTS5's file format
constexpr WordPart kProbe{NumberKind::kRecords, 0};
constexpr int kRows = 60;
constexpr int kBatch = 12;  // rows of a transaction, so that there are several segments

std::atomic<bool> assumed_unknown = false;

using Places = std::vector<std::pair<int, int>>;  // column and place
using Rows = std::map<WordRowId, Places>;

// Common, rare and long words, some of which have more places than a page holds.
std::string text_of(int row) {
  std::string text = format("common word{} row{}", row % 7, row);
  if (row % 20 == 3) {
    for (int i = 0; i < 3'000; ++i) text += i % 3 == 0 ? " common" : " filler";
  }
  return text;
}

Status write_row(Connection& connection, PartSql statement, int row) {
  const std::string text = text_of(row);
  Statement write = use_part(connection, statement, kProbe);
  return write.unbind().integer(1, row).text(2 + row % 2, text).run();
}

Status write_probe(Connection& connection, const std::vector<int>& removed) {
  LADDER_CHECK(
      connection.execute("CREATE TABLE word_parts(part INTEGER PRIMARY KEY, dirty INTEGER NOT NULL, erasing BLOB NOT NULL)"));
  LADDER_CHECK(make_part(connection, kProbe));
  for (int row = 1; row <= kRows; row += kBatch) {
    LADDER_CHECK(connection.execute("BEGIN"));
    for (int i = row; i < row + kBatch; ++i) LADDER_CHECK(write_row(connection, PartSql::kAdd, i));
    LADDER_CHECK(connection.execute("COMMIT"));
  }
  for (const int row : removed) LADDER_CHECK(write_row(connection, PartSql::kRemove, row));
  return {};
}

Rows expected_rows(const std::string& word, const std::vector<int>& removed) {
  Rows rows;
  for (int row = 1; row <= kRows; ++row) {
    if (std::ranges::find(removed, row) != removed.end()) continue;
    int place = 0;
    for (const std::string& one : words_of_form(text_of(row))) {
      if (one == word) rows[row].emplace_back(row % 2, place);
      ++place;
    }
  }
  return rows;
}

Result<Rows> read_rows(Connection& connection, const std::string& word) {
  LADDER_TRY(const PartSegments segments, part_segments(connection, kProbe));
  Rows rows;
  PostingList list(segments, word);
  while (!list.ended() && rows.size() <= kRows) {
    Places& places = rows[list.row()];
    each_packed_place(list.places(), [&](int column, int place) {
      places.emplace_back(column, place);
      return true;
    });
    list.next_from(list.row() + 1);
  }
  LADDER_CHECK(segments.status());
  return rows;
}

Result<bool> probe() {
  LADDER_TRY(const auto connection, Connection::open_in_memory());
  const std::vector<int> removed = {5, 23, 41};
  LADDER_CHECK(write_probe(*connection, removed));
  for (const int pages : {0, 4, -1'000}) {  // as written, partly merged, merged to one segment
    if (pages != 0) LADDER_CHECK(use_part(*connection, PartSql::kMerge, kProbe).integer(1, pages).run());
    for (const std::string word : {"common", "filler", "word3", "row5", "row23", "row24", "absent"}) {
      LADDER_TRY(const Rows rows, read_rows(*connection, word));
      if (rows != expected_rows(word, removed)) return false;
    }
  }
  return true;
}

}  // namespace

bool fts5_pages_are_known() {
  static const bool known = probe().value_or(false);
  return known && !assumed_unknown;
}

Result<bool> pages_are_known(Connection& connection, const WordPart& part) {
  if (!fts5_pages_are_known()) return false;
  Statement row = use_part(connection, PartSql::kFormat, part);
  LADDER_TRY(const bool found, row.step());
  return found && row.integer_at(0) == kKnownVersion;
}

UnknownFts5Format::UnknownFts5Format() { assumed_unknown = true; }
UnknownFts5Format::~UnknownFts5Format() { assumed_unknown = false; }

}  // namespace ladder::store::sqlite
