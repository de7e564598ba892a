// The lines that calendars and vCards are made of (RFC 5545 and 6350): [group.]NAME[;PARAMETER=value]…:value, folded over several
// lines of the file. Holds one at a time.
#pragma once

#include "base/error/error.h"
#include "import/limits.h"
#include "import/text/lines.h"
#include "import/tree/bytes.h"

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

// BEGIN:X … END:X: the events of a calendar, the cards of an address book, one at a time.

// Bounds on one component; the lines over it are counted in `left_out`.
inline constexpr std::size_t kMaxComponentBytes = 80 * limits::kMiB;
inline constexpr std::size_t kMaxComponentLines = 20'000;

struct Component {
  std::string name;         // upper case; "" for a line that stands in none
  std::int64_t offset = 0;  // of its BEGIN line
  std::vector<ContentLine> lines;
  std::vector<Component> inner;  // one level: alarms, observances; deeper ones go with them
  bool finished = true;          // its END was there
  std::size_t left_out = 0;      // lines over the bounds or without a name
  std::int64_t left_out_at = 0;  // the first of them

  const ContentLine* find(std::string_view upper_name) const;
  std::string text(std::string_view upper_name) const;  // of the first line of that name; "" when there is none
};

class Components {
 public:
  // `container` (VCALENDAR) is looked into, not given out; "" when there is none around the components. `charset` is the file's.
  Components(Bytes& bytes, std::string_view container, std::string_view charset = {})
      : lines_(bytes, charset), container_name_(container) {}

  Result<bool> next();  // false at the end
  const Component& component() const { return component_; }
  const std::vector<ContentLine>& container() const { return container_; }  // its own lines so far

 private:
  Result<bool> next_line();
  Status read(Component& component, int depth);
  void keep(Component& component, const ContentLine& line);

  ContentLines lines_;
  std::string container_name_;
  std::vector<ContentLine> container_;
  Component component_;
  std::size_t bytes_ = 0;
  bool line_is_waiting_ = false;
};

}  // namespace ladder::imports
