#include "import/formats/table/csv.h"

#include <algorithm>
#include <array>

namespace ladder::imports {
namespace {

bool says_nothing(const std::vector<std::string>& cells) {
  return std::ranges::all_of(cells,
                             [](const std::string& cell) { return cell.find_first_not_of(" \t\r\n") == std::string::npos; });
}

}  // namespace

char guess_separator(std::string_view head) {
  head.remove_prefix(std::min(head.find_first_not_of("\r\n"), head.size()));  // empty lines separate nothing
  // Commas also stand inside numbers and sentences: of two that fit alike they lose.
  constexpr std::array kCandidates = {'\t', ';', '|', ','};
  char best = ',';
  std::int64_t best_score = 0;
  for (const char candidate : kCandidates) {
    // How many separators a line has, if lines agree; quoted parts do not count.
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
    if (!says_nothing(cells_)) return true;
    cells_.clear();
    lines = -1;
  }
}

}  // namespace ladder::imports
