// What a column holds, judged by its cells.
#pragma once

#include "import/cell_value.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_set>

namespace ladder::imports {

class ColumnGuess {
 public:
  void add(std::string_view utf8_cell);    // an empty one is a value that is not there
  void add_string(std::string_view utf8);  // of JSON: text that stays text, or a date as RFC 3339 has it
  void add_other();                        // of JSON: an object, an array

  struct Verdict {
    CellRule rule;
    bool is_other = false;  // neither text, number, yes or no, nor date
    bool nullable = false;  // some are empty
    bool unique = false;    // every row has one, no two alike
    bool few = false;       // so few different ones that grouping makes sense
    bool prose = false;     // long enough to be worth searching
  };
  Verdict verdict() const;

 private:
  bool count(std::string_view cell);  // false when it is empty

  std::int64_t rows_ = 0, empty_ = 0, others_ = 0, bytes_ = 0;
  // How many cells fit each way of reading them.
  std::int64_t integers_ = 0, points_ = 0, commas_ = 0, booleans_ = 0, day_first_ = 0, month_first_ = 0, times_of_day_ = 0,
               year_first_ = 0;
  std::int64_t codes_ = 0;
  std::unordered_set<std::string> different_;
  bool repeated_ = false, crowded_ = false;
};

}  // namespace ladder::imports
