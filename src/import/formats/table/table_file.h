// How the file of a table is laid out. Who proposes a declaration (infer.h) and who reads with one (formats/table.cpp) both ask
// here, so that a file is read as it was understood.
#pragma once

#include "base/error/error.h"
#include "import/formats/table/csv.h"
#include "import/tree/tree.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::imports {

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
