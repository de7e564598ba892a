#include "import/column_guess.h"

#include "base/time.h"
#include "import/text.h"

#include <algorithm>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxDifferent = 100'000;
constexpr std::size_t kFew = 50;
constexpr std::int64_t kProseBytes = 12;  // on average

bool fits(std::string_view cell, const CellRule& rule) { return cell_json(cell, rule).has_value(); }

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Digits with a zero before them, or many of them behind a plus, as of a telephone, are not there to be counted with.
bool is_code(std::string_view cell) {
  constexpr std::ptrdiff_t kDigitsOfATelephone = 7;
  if (cell.size() > 1 && cell[0] == '0' && is_digit(cell[1])) return true;
  return cell.starts_with('+') && cell.find_first_of(",.") == std::string_view::npos &&
         std::ranges::count_if(cell, is_digit) >= kDigitsOfATelephone;
}

bool begins_with_year(std::string_view cell) { return cell.find_first_not_of("0123456789") == 4; }

}  // namespace

bool ColumnGuess::count(std::string_view cell) {
  ++rows_;
  if (cell.empty()) {
    ++empty_;
    return false;
  }
  bytes_ += static_cast<std::int64_t>(cell.size());
  if (!crowded_ && !different_.emplace(cell).second) repeated_ = true;
  crowded_ = crowded_ || different_.size() >= kMaxDifferent;
  return true;
}

void ColumnGuess::add_string(std::string_view utf8) {
  if (!count(utf8) || !parse_time(utf8)) return;
  ++day_first_;
  ++year_first_;  // as times are written in JSON
  times_of_day_ += utf8.find(':') != std::string_view::npos ? 1 : 0;
}

void ColumnGuess::add(std::string_view utf8_cell) {
  const std::string_view cell = trim(utf8_cell);
  if (!count(cell)) return;
  integers_ += fits(cell, {CellType::kInteger, '.', ""}) && cell.find_first_of(",.") == std::string_view::npos ? 1 : 0;
  points_ += fits(cell, {CellType::kNumber, '.', ""}) ? 1 : 0;
  // "1.234,50": a comma with a point before it, or with other than three digits behind it, is a decimal comma.
  const std::size_t comma = cell.rfind(',');
  const bool decimal_comma = comma != std::string_view::npos && (cell.find('.') < comma || cell.size() - comma != 4);
  commas_ += (decimal_comma || comma == std::string_view::npos) && fits(cell, {CellType::kNumber, ',', ""}) ? 1 : 0;
  booleans_ += fits(cell, {CellType::kBoolean, '.', ""}) ? 1 : 0;
  const bool number = points_ + commas_ > 0 && cell.find_first_of("/-:") == std::string_view::npos && cell.size() < 6;
  if (!number) {
    year_first_ += begins_with_year(cell) ? 1 : 0;
    day_first_ += fits(cell, {CellType::kDate, '.', "DMY"}) ? 1 : 0;
    month_first_ += fits(cell, {CellType::kDate, '.', "MDY"}) ? 1 : 0;
    times_of_day_ += cell.find(':') != std::string_view::npos ? 1 : 0;
  }
  codes_ += is_code(cell) ? 1 : 0;
}

void ColumnGuess::add_other() {
  ++rows_;
  ++others_;
}

ColumnGuess::Verdict ColumnGuess::verdict() const {
  Verdict found;
  const std::int64_t filled = rows_ - empty_;
  found.nullable = empty_ > 0 || filled == 0;
  found.unique = filled == rows_ && rows_ > 0 && !repeated_ && !crowded_ && others_ == 0;
  found.is_other = others_ > 0;
  if (found.is_other || filled == 0) return found;
  const bool numbers = codes_ == 0;
  if (booleans_ == filled && integers_ < filled) found.rule.type = CellType::kBoolean;
  else if (numbers && integers_ == filled) found.rule.type = CellType::kInteger;
  else if (numbers && points_ == filled) found.rule.type = CellType::kNumber;
  else if (numbers && commas_ == filled) found.rule = {CellType::kNumber, ',', ""};
  else if (day_first_ == filled || month_first_ == filled) {
    const std::string_view order = year_first_ == filled ? "" : day_first_ == filled ? "DMY" : "MDY";
    found.rule = {times_of_day_ > 0 ? CellType::kTime : CellType::kDate, '.', std::string(order)};
  }
  found.few = different_.size() <= kFew && filled > static_cast<std::int64_t>(2 * different_.size());
  found.prose = found.rule.type == CellType::kText && bytes_ >= kProseBytes * filled;
  return found;
}

}  // namespace ladder::imports
