// Guesses the type of a column by its cells, and of a member by its values.
#pragma once

#include "base/error/error.h"
#include "import/formats/table/table_plan.h"
#include "json/scan/scan.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ladder::imports {

struct ColumnVerdict {
  CellRule rule;
  bool is_other = false;  // neither text, number, yes or no, nor date throughout
  bool nullable = false;  // some are empty
  bool unique = false;    // every row has one, no two alike
  bool few = false;       // so few different ones that grouping makes sense
  bool prose = false;     // long enough to be worth searching
};

// How many values there are and how many of them are alike.
class ValueCount {
 public:
  void add(std::string_view value);
  std::int64_t values() const { return values_; }
  // All but what the values are. `rows`: those that could have had one.
  void judge(std::int64_t rows, ColumnVerdict& verdict) const;

 private:
  std::int64_t values_ = 0, bytes_ = 0;
  std::unordered_set<std::string> different_;
  bool repeated_ = false, crowded_ = false;
};

// The cells of a table: text, of which some can be read as something else.
class ColumnGuess {
 public:
  void add(std::string_view utf8_cell);  // an empty one is a value that is not there
  ColumnVerdict verdict(std::int64_t rows) const;

 private:
  ValueCount count_;
  // How many cells fit each way of reading them.
  std::int64_t integers_ = 0, points_ = 0, commas_ = 0, booleans_ = 0, day_first_ = 0, month_first_ = 0, times_of_day_ = 0,
               year_first_ = 0;
  std::int64_t codes_ = 0;
};

// The values of a member of JSON objects: they say themselves what they are, but for dates.
class MemberGuess {
 public:
  void add(const json::Value& value);
  ColumnVerdict verdict(std::int64_t rows) const;

 private:
  CellType type() const;

  ValueCount count_;
  std::int64_t strings_ = 0, dates_ = 0, times_of_day_ = 0, integers_ = 0, numbers_ = 0, booleans_ = 0, empty_ = 0;
};

// A declaration proposed from the data, for the owner to edit: `ladder source infer FILE`.

// From the first rows of a CSV, TSV, JSON array or NDJSON file. Indented JSON that parse_declaration accepts. `encoding` is what
// the file is written in; "" to tell it from the bytes. kNotFound; kInvalidRequest when the file is no table, or there is no such
// encoding.
Result<std::string> infer_declaration(const std::string& path, const std::string& encoding = {});

}  // namespace ladder::imports
