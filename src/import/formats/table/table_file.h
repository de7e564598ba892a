// The layout and the rows of a table file. Both inference (infer.h) and import (table.cpp) use it, so that they interpret a
// file the same way.
#pragma once

#include "base/error/error.h"
#include "import/io/lines.h"
#include "import/tree/tree.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// Returns the separator on which the first lines agree: comma, semicolon, tab or bar.
char guess_separator(std::string_view head);

// Reads the rows of a CSV or TSV one at a time: RFC 4180 plus the variants that spreadsheets and banks write (any separator,
// CRLF, line breaks in quotes, quotes in the middle of a cell).
class CsvRows {
 public:
  CsvRows(Bytes& bytes, char separator) : lines_(bytes), separator_(separator) {}

  // Returns false at the end. Skips rows in which all cells are empty: empty lines, and the separators that spreadsheets write
  // below a table. An unclosed quote ends at the end of the file, or after kMaxCellLines lines; torn() then returns true.
  Result<bool> next();
  const std::vector<std::string>& cells() const { return cells_; }  // bytes as in the file
  std::int64_t offset() const { return offset_; }
  std::int64_t end_offset() const { return lines_.end_offset(); }
  bool torn() const { return torn_; }

  static constexpr int kMaxCellLines = 10'000;

 private:
  // Reads one line, or the rest of a quoted cell. Returns true if the row is complete.
  bool take(std::string_view line);

  Lines lines_;
  char separator_;
  std::vector<std::string> cells_;
  std::string cell_;
  bool in_quotes_ = false, torn_ = false;
  std::int64_t offset_ = 0;
};

enum class TableLayout { kCells, kArray, kLines };  // CSV and similar, a JSON array of objects, one object per line

inline constexpr std::size_t kMaxColumns = 1000;  // in a proposal

bool is_table_file(const Entry& entry);  // by its name
TableLayout table_layout(Tree& tree, EntryNo entry);

// Returns the column names for x_ladder_column. `cells` is the header in that charset. `name#2` is the second column with that
// name, `#3` is the third column if it has no name.
std::vector<std::string> column_names(const std::vector<std::string>& cells, std::string_view charset);

// Returns the columns that a row near the top of the file seems to name; empty if there is no such row.
Result<std::vector<std::string>> propose_columns(Tree& tree, EntryNo entry);

// The rows of cells below the header.
struct TableRows {
  std::unique_ptr<Bytes> bytes;
  std::unique_ptr<CsvRows> rows;
  std::string charset = {}, guessed = {};          // of the cells, see TextFile
  std::vector<std::optional<std::size_t>> places;  // for each requested column
  bool has_header = false;

  // Returns the cell of that column in the current row, as UTF-8; nullopt if the row is shorter or the column does not exist.
  std::optional<std::string> cell(std::size_t column) const;
};

// Banks write extra lines above a table. The header is the row near the top that names the most columns, at least half of them;
// the first of several.
Result<TableRows> rows_below_header(Tree& tree, EntryNo entry, const std::vector<std::string>& columns);

}  // namespace ladder::imports
