// Infers the type of a column from its cells, and of a member from its values.
#pragma once

#include "import/formats/table/table_plan.h"
#include "json/scan/scan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ladder::imports {

struct ColumnVerdict {
  CellRule rule;
  bool is_other = false;  // not consistently text, number, boolean or date
  bool nullable = false;  // some are empty
  bool unique = false;    // every row has a value, and all differ
  bool few = false;       // few enough distinct values for grouping
  bool prose = false;     // long enough for full-text search
};

// Counts values and detects repeated ones.
class ValueCount {
 public:
  void add(std::string_view value);
  std::int64_t values() const { return values_; }
  // Sets everything except the type. `rows` is the number of rows that could have a value.
  void judge(std::int64_t rows, ColumnVerdict& verdict) const;

 private:
  std::int64_t values_ = 0, bytes_ = 0;
  std::unordered_set<std::string> different_;
  bool repeated_ = false, crowded_ = false;
};

// Infers from the cells of a table, which are text that may represent another type.
class ColumnGuess {
 public:
  void add(std::string_view utf8_cell);  // an empty cell is a missing value
  ColumnVerdict verdict(std::int64_t rows) const;

 private:
  ValueCount count_;
  // Number of cells that each interpretation fits.
  std::int64_t integers_ = 0, points_ = 0, commas_ = 0, booleans_ = 0, day_first_ = 0, month_first_ = 0, times_of_day_ = 0,
               year_first_ = 0;
  std::int64_t codes_ = 0;
};

// Infers from the values of a member of JSON objects. JSON states their types, except for dates.
class MemberGuess {
 public:
  void add(const json::Value& value);
  ColumnVerdict verdict(std::int64_t rows) const;

 private:
  CellType type() const;

  ValueCount count_;
  std::int64_t strings_ = 0, dates_ = 0, times_of_day_ = 0, integers_ = 0, numbers_ = 0, booleans_ = 0, empty_ = 0;
};

}  // namespace ladder::imports
