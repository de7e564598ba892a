#include "import/formats/table/table_file.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "import/charset/read_text.h"
#include "import/formats/table/column_guess.h"
#include "import/formats/table/table_plan.h"
#include "import/text/text.h"
#include "import/tree/text_file.h"
#include "json/scan/scan.h"

#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>

namespace ladder::imports {
namespace {

bool is_blank_row(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells,
                             [](const std::string& cell) { return cell.find_first_not_of(" \t\r\n") == std::string::npos; });
}

}  // namespace

char guess_separator(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));  // skip empty lines
  // Commas also occur in numbers and sentences, so they lose a tie.
  constexpr std::array kCandidates = {'\t', ';', '|', ','};
  char best = ',';
  std::int64_t best_score = 0;
  for (const char candidate : kCandidates) {
    // Counts the separators per line, outside quotes, and the lines that agree.
    std::int64_t lines = 0, agreeing = 0, first = -1, count = 0;
    bool quoted = false;
    for (const char c : head) {
      if (c == '"') quoted = !quoted;
      else if (c == candidate && !quoted) ++count;
      else if (c == '\n' && !quoted) {
        if (first < 0) first = count;
        ++lines;
        if (count == first) ++agreeing;
        count = 0;
      }
    }
    if (lines == 0) first = count, agreeing = lines = 1;
    const std::int64_t score = first * agreeing * 100 / lines;
    if (score > best_score) {
      best_score = score;
      best = candidate;
    }
  }
  return best;
}

bool CsvRows::take(std::string_view line) {
  for (std::size_t at = 0; at < line.size(); ++at) {
    const char c = line[at];
    if (in_quotes_) {
      if (c != '"') {
        cell_ += c;
      } else if (at + 1 < line.size() && line[at + 1] == '"') {
        cell_ += '"';
        ++at;
      } else {
        in_quotes_ = false;
      }
    } else if (c == '"' && cell_.empty()) {
      in_quotes_ = true;
    } else if (c == separator_) {
      cells_.push_back(std::move(cell_));
      cell_.clear();
    } else {
      cell_ += c;
    }
  }
  if (in_quotes_) return false;
  cells_.push_back(std::move(cell_));
  cell_.clear();
  return true;
}

Result<bool> CsvRows::next() {
  cells_.clear();
  torn_ = false;
  for (int lines = 0;; ++lines) {
    LADDER_TRY(const bool more, lines_.next());
    if (lines == 0) offset_ = lines_.offset();
    const bool gives_up = in_quotes_ && (!more || lines >= kMaxCellLines);
    if (gives_up) {
      torn_ = true;
      in_quotes_ = false;
      cells_.push_back(std::move(cell_));
      cell_.clear();
      return true;
    }
    if (!more) return false;
    if (in_quotes_) cell_ += '\n';
    if (!take(lines_.text())) continue;
    if (!is_blank_row(cells_)) return true;
    cells_.clear();
    lines = -1;
  }
}

namespace {

constexpr int kHeaderRows = 50;  // where the header is searched

bool has_name_of_cells(const Entry& entry) {
  return entry.has_extension(".csv") || entry.has_extension(".tsv") || entry.has_extension(".tab");
}

bool has_name_of_lines(const Entry& entry) { return entry.has_extension(".ndjson") || entry.has_extension(".jsonl"); }

bool begins_with_object(std::string_view head) {
  if (!head.starts_with('{')) return false;
  return json::check(trim(head.substr(0, head.find('\n'))), ladder::limits::kMaxJsonDepth).has_value();
}

Result<TableRows> all_rows(Tree& tree, EntryNo entry) {
  const bool tabs = tree.entries()[entry].has_extension(".tsv") || tree.entries()[entry].has_extension(".tab");
  const char separator = tabs ? '\t' : guess_separator(text_head(tree, entry));
  TableRows all;
  LADDER_TRY(TextFile file, open_text(tree, entry));
  all.bytes = std::move(file.bytes);
  all.charset = std::move(file.charset);
  all.guessed = std::move(file.guessed);
  all.rows = std::make_unique<CsvRows>(*all.bytes, separator);
  return all;
}

std::size_t filled_cells(const std::vector<std::string>& cells) {
  return static_cast<std::size_t>(std::ranges::count_if(cells, [](const std::string& cell) { return !trim(cell).empty(); }));
}

// Numbers or times. Booleans do not count: they may be column names.
bool holds_data(const std::vector<std::string>& cells) {
  return std::ranges::any_of(cells, [](const std::string& cell) {
    ColumnGuess guess;
    guess.add(to_utf8_raw(cell));
    const CellType type = guess.verdict(1).rule.type;
    return type != CellType::kText && type != CellType::kBoolean;
  });
}

// A line may end with a separator.
std::size_t ended(const std::vector<std::string>& cells) { return cells.size() > 3 && trim(cells.back()).empty() ? 1 : 0; }

bool is_full(const std::vector<std::string>& cells) {
  return cells.size() >= 2 && cells.size() <= kMaxColumns && filled_cells(cells) + ended(cells) == cells.size();
}

// The first row with several non-empty cells names the columns, unless the next row has more cells. A row with empty cells is
// accepted if it contains no data and the next row is full and contains data.
bool names_columns(const std::vector<std::string>& row, const std::vector<std::string>& next) {
  if (is_full(row)) return next.size() <= row.size() + 1;
  return row.size() == next.size() && filled_cells(row) >= 2 && !holds_data(row) && is_full(next) && holds_data(next);
}

// Returns the width of the table: the row width that covers most cells of the first rows. Lines above the table are narrow and
// few.
Result<std::size_t> width_of_table(Tree& tree, EntryNo entry) {
  LADDER_TRY(const TableRows all, all_rows(tree, entry));
  std::map<std::size_t, std::size_t> cells;  // width → cells in all rows of that width
  for (int row = 0; row <= kHeaderRows; ++row) {
    LADDER_TRY(const bool more, all.rows->next());
    if (!more) break;
    cells[all.rows->cells().size()] += all.rows->cells().size();
  }
  std::size_t width = 0, most = 0;
  for (const auto& [one, count] : cells) {
    if (count > most) width = one, most = count;
  }
  return width;
}

struct TableHeader {
  int row = 0;  // counted from one
  std::size_t named = 0;
  std::vector<std::optional<std::size_t>> places;
};

TableHeader as_header(const TableRows& table, const std::vector<std::string>& columns) {
  std::unordered_map<std::string, std::size_t> place_of;
  const std::vector<std::string> names = column_names(table.rows->cells(), table.charset);
  for (std::size_t i = 0; i < names.size(); ++i) place_of.emplace(names[i], i);  // the first of two equal names
  TableHeader head;
  for (const std::string& column : columns) {
    const auto found = place_of.find(column);
    head.places.push_back(found == place_of.end() ? std::nullopt : std::optional(found->second));
    if (found != place_of.end()) ++head.named;
  }
  return head;
}

}  // namespace

bool is_table_file(const Entry& entry) {
  return has_name_of_cells(entry) || has_name_of_lines(entry) || entry.has_extension(".json");
}

TableLayout table_layout(Tree& tree, EntryNo entry) {
  const Entry& file = tree.entries()[entry];
  const std::string text = text_head(tree, entry);
  const std::string_view head = trim(text);
  if (has_name_of_lines(file) || begins_with_object(head)) return TableLayout::kLines;
  if (file.has_extension(".json")) return TableLayout::kArray;
  return head.starts_with('[') && !has_name_of_cells(file) ? TableLayout::kArray : TableLayout::kCells;
}

std::vector<std::string> column_names(const std::vector<std::string>& cells, std::string_view charset) {
  std::vector<std::string> names;
  std::map<std::string, int> before;
  for (const std::string& cell : cells) {
    std::string name(trim(to_utf8_raw(cell, charset)));
    const int number = ++before[name];
    if (name.empty() || name == kDigestColumn) name = format("#{}", names.size() + 1);
    else if (number > 1) name += format("#{}", number);
    names.push_back(std::move(name));
  }
  return names;
}

Result<std::vector<std::string>> propose_columns(Tree& tree, EntryNo entry) {
  LADDER_TRY(const TableRows all, all_rows(tree, entry));
  LADDER_TRY(const std::size_t width, width_of_table(tree, entry));
  std::vector<std::string> above;
  for (int row = 0; row <= kHeaderRows; ++row) {
    LADDER_TRY(const bool more, all.rows->next());
    if (!more) break;
    const std::vector<std::string>& cells = all.rows->cells();
    if (above.size() + 1 < width || !names_columns(above, cells)) {
      above = cells;
      continue;
    }
    std::vector<std::string> names = column_names(above, all.charset);
    const bool nothing_there = cells.size() < above.size() || trim(cells.back()).empty();
    if (ended(above) > 0 && nothing_there) names.pop_back();
    return names;
  }
  return std::vector<std::string>();
}

std::optional<std::string> TableRows::cell(std::size_t column) const {
  const std::optional<std::size_t> place = places[column];
  if (!place || *place >= rows->cells().size()) return std::nullopt;
  return to_utf8_raw(rows->cells()[*place], charset);
}

Result<TableRows> rows_below_header(Tree& tree, EntryNo entry, const std::vector<std::string>& columns) {
  LADDER_TRY(TableRows table, all_rows(tree, entry));
  TableHeader best;
  int read = 0;
  while (read < kHeaderRows && best.named < columns.size()) {
    LADDER_TRY(const bool more, table.rows->next());
    if (!more) break;
    ++read;
    TableHeader head = as_header(table, columns);
    if (head.named <= best.named) continue;
    best = std::move(head);
    best.row = read;
  }
  if (best.row < read) {  // go back to it
    LADDER_TRY(table, all_rows(tree, entry));
    for (int row = 0; row < best.row; ++row) LADDER_CHECK(table.rows->next());
  }
  table.has_header = best.named > 0 && best.named * 2 >= columns.size();
  table.places = std::move(best.places);
  return table;
}

}  // namespace ladder::imports
