// The lines that calendars and vCards are made of (RFC 5545 and 6350): [group.]NAME[;PARAMETER=value]…:value, folded over several
// lines of the file. Holds one at a time.
#pragma once

#include "base/result.h"
#include "import/bytes.h"
#include "import/limits.h"
#include "import/lines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// The longest is a photograph in base64.
inline constexpr std::size_t kMaxContentLineBytes = 64 * limits::kMiB;

struct ContentLine {
  struct Parameter {
    std::string name;  // upper case
    std::vector<std::string> values;
  };

  std::int64_t offset = 0;  // of its first byte in the file
  std::string group, name;  // name in upper case; "" when the line has none, and `value` is the line
  std::vector<Parameter> parameters;
  std::string value;         // bytes as written, unfolded
  bool cut = false;          // it is longer than kMaxContentLineBytes
  std::string charset = {};  // of the file, for lines that name none; "" for UTF-8

  std::string_view parameter(std::string_view upper_name) const;              // the first value; "" when absent
  bool has(std::string_view upper_name, std::string_view lower_value) const;  // one of its values, in any case
  std::string text() const;                                                   // the value as UTF-8, escapes undone
  std::vector<std::string> list(char separator) const;                        // parted where it is not escaped
  std::string decoded() const;  // the value as UTF-8 with its transfer encoding (vCard 2.1) undone, escapes kept
};

class ContentLines {
 public:
  explicit ContentLines(Bytes& bytes, std::string_view charset = {}) : lines_(bytes), charset_(charset) {}
  Result<bool> next();  // false at the end; empty lines are passed over
  const ContentLine& line() const { return line_; }

 private:
  Result<bool> read_line();
  void parse(std::string_view text);

  Lines lines_;
  std::string charset_;
  bool line_is_waiting_ = false;
  std::string text_;
  ContentLine line_;
};

// \n, \N, \, \; and \\ undone; other backslashes stay.
std::string unescaped(std::string_view text);
std::vector<std::string> split_escaped(std::string_view text, char separator);  // and the parts unescaped

// Bytes that were written as base64 with any white space; nullopt when they are none.
std::optional<std::string> lenient_base64(std::string_view text);

}  // namespace ladder::imports
