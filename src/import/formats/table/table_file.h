// The file of a table: how it is laid out, and its rows. Who proposes a declaration (infer.h) and who reads with one
// (formats/table.cpp) both ask here, so that a file is read as it was understood.
#pragma once

#include "base/error/error.h"
#include "import/text/lines.h"
#include "import/tree/tree.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// The separator that the first lines agree on: comma, semicolon, tab or bar.
char guess_separator(std::string_view head);

// Rows of a CSV or TSV, one at a time: RFC 4180 with what spreadsheets and banks really write (any separator, CRLF, line ends
// inside quotes, quotes that stand in the middle of a cell).
class CsvRows {
 public:
  CsvRows(Bytes& bytes, char separator) : lines_(bytes), separator_(separator) {}

  // False at the end. Rows without anything in a cell are passed over: empty lines, and the separators that spreadsheets write
  // below a table. A quote that is never closed ends its cell with the file, or after kMaxCellLines lines; torn() tells then.
  Result<bool> next();
  const std::vector<std::string>& cells() const { return cells_; }  // bytes as they stand in the file
  std::int64_t offset() const { return offset_; }
  std::int64_t end_offset() const { return lines_.end_offset(); }
  bool torn() const { return torn_; }

  static constexpr int kMaxCellLines = 10'000;

 private:
  // One line, or the rest of one inside quotes; true when the row is complete.
  bool take(std::string_view line);

  Lines lines_;
  char separator_;
  std::vector<std::string> cells_;
  std::string cell_;
  bool in_quotes_ = false, torn_ = false;
  std::int64_t offset_ = 0;
};

enum class TableLayout { kCells, kArray, kLines };  // CSV and its like, a JSON array of objects, an object on each line

inline constexpr std::size_t kMaxColumns = 1000;  // that are proposed

bool is_table_file(const Entry& entry);  // by its name
TableLayout table_layout(Tree& tree, EntryNo entry);

// Resolves x_ladder_column to the columns of a head, cells of which are in that charset: `name#2` the second of one name, `#3`
// the third column when it has none of its own.
std::vector<std::string> column_names(const std::vector<std::string>& cells, std::string_view charset);

// The columns that a row near the top of a file of cells seems to name; none when no row does.
Result<std::vector<std::string>> propose_columns(Tree& tree, EntryNo entry);

// The rows of cells below their head.
struct TableRows {
  std::unique_ptr<Bytes> bytes;
  std::unique_ptr<CsvRows> rows;
  std::string charset = {}, guessed = {};          // of the cells, as TextFile has them
  std::vector<std::optional<std::size_t>> places;  // of each column that was asked for
  bool has_head = false;

  // The cell of that column in the row that is there now, as UTF-8; nullopt when the row ends before it or no row has it.
  std::optional<std::string> cell(std::size_t column) const;
};

// Banks write lines of their own above a table: the head is the row near the top that names the most of the columns, at least
// half of them, and the first such.
Result<TableRows> rows_below_head(Tree& tree, EntryNo entry, const std::vector<std::string>& columns);

}  // namespace ladder::imports
