// Rows of a CSV or TSV, one at a time: RFC 4180 with what spreadsheets and banks really write (any separator, CRLF, line ends
// inside quotes, quotes that stand in the middle of a cell).
#pragma once

#include "base/error/error.h"
#include "import/text/lines.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// The separator that the first lines agree on: comma, semicolon, tab or bar.
char guess_separator(std::string_view head);

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

}  // namespace ladder::imports
