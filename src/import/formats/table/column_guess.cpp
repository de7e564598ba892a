#include "import/formats/table/column_guess.h"

#include "base/time/time.h"
#include "import/formats/table/table_file.h"
#include "import/text/text.h"

#include <algorithm>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxDifferent = 100'000;
constexpr std::size_t kFew = 50;
constexpr std::int64_t kProseBytes = 12;  // on average

bool fits(std::string_view cell, const CellRule& rule) { return cell_json(cell, rule).has_value(); }

// Digits with a leading zero, or many digits after a plus (telephone numbers), are identifiers, not numbers.
bool is_code(std::string_view cell) {
  constexpr std::ptrdiff_t kDigitsOfATelephone = 7;
  if (cell.size() > 1 && cell[0] == '0' && is_digit(cell[1])) return true;
  return cell.starts_with('+') && cell.find_first_of(",.") == std::string_view::npos &&
         std::ranges::count_if(cell, is_digit) >= kDigitsOfATelephone;
}

bool begins_with_year(std::string_view cell) { return cell.find_first_not_of("0123456789") == 4; }

}  // namespace

void ValueCount::add(std::string_view value) {
  ++values_;
  bytes_ += static_cast<std::int64_t>(value.size());
  if (!crowded_ && !different_.emplace(value).second) repeated_ = true;
  crowded_ = crowded_ || different_.size() >= kMaxDifferent;
}

void ValueCount::judge(std::int64_t rows, ColumnVerdict& verdict) const {
  verdict.nullable = values_ < rows || values_ == 0;
  verdict.unique = values_ == rows && rows > 0 && !repeated_ && !crowded_;
  verdict.few = different_.size() <= kFew && values_ > static_cast<std::int64_t>(2 * different_.size());
  verdict.prose = values_ > 0 && bytes_ >= kProseBytes * values_;
}

void ColumnGuess::add(std::string_view utf8_cell) {
  const std::string_view cell = trim(utf8_cell);
  if (cell.empty()) return;
  count_.add(cell);
  integers_ += fits(cell, {CellType::kInteger, '.', ""}) && cell.find_first_of(",.") == std::string_view::npos ? 1 : 0;
  points_ += fits(cell, {CellType::kNumber, '.', ""}) ? 1 : 0;
  // "1.234,50": a comma is a decimal comma if a point comes before it, or if not exactly three digits follow it.
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

ColumnVerdict ColumnGuess::verdict(std::int64_t rows) const {
  ColumnVerdict found;
  count_.judge(rows, found);
  const std::int64_t filled = count_.values();
  if (filled == 0) return found;
  const bool numbers = codes_ == 0;
  if (booleans_ == filled && integers_ < filled) found.rule.type = CellType::kBoolean;
  else if (numbers && integers_ == filled) found.rule.type = CellType::kInteger;
  else if (numbers && points_ == filled) found.rule.type = CellType::kNumber;
  else if (numbers && commas_ == filled) found.rule = {CellType::kNumber, ',', ""};
  else if (day_first_ == filled || month_first_ == filled) {
    const std::string_view order = year_first_ == filled ? "" : day_first_ == filled ? "DMY" : "MDY";
    found.rule = {times_of_day_ > 0 ? CellType::kTime : CellType::kDate, '.', std::string(order)};
  }
  return found;
}

void MemberGuess::add(const json::Value& value) {
  if (value.kind == json::Kind::kNull) return;
  const bool is_string = value.kind == json::Kind::kString;
  const std::string text = is_string ? json::decode_string(json::raw_content(value)) : std::string(value.text);
  count_.add(text);
  if (is_string) {
    ++strings_;
    empty_ += text.empty() ? 1 : 0;
    dates_ += parse_time(text) ? 1 : 0;
    times_of_day_ += text.find(':') != std::string::npos ? 1 : 0;
  } else if (value.kind == json::Kind::kNumber) {
    ++numbers_;
    integers_ += text.find_first_of(".eE") == std::string::npos ? 1 : 0;
  } else if (value.kind == json::Kind::kBool) {
    ++booleans_;
  }
}

CellType MemberGuess::type() const {
  const std::int64_t values = count_.values();
  if (integers_ == values) return CellType::kInteger;
  if (numbers_ == values) return CellType::kNumber;
  if (booleans_ == values) return CellType::kBoolean;
  if (dates_ < values) return CellType::kText;
  return times_of_day_ > 0 ? CellType::kTime : CellType::kDate;
}

ColumnVerdict MemberGuess::verdict(std::int64_t rows) const {
  ColumnVerdict found;
  count_.judge(rows, found);
  const std::int64_t values = count_.values();
  if (values == 0) return found;
  found.is_other = strings_ < values && numbers_ < values && booleans_ < values;
  if (!found.is_other) found.rule.type = type();
  found.unique = found.unique && !found.is_other && empty_ == 0;
  return found;
}

}  // namespace ladder::imports
