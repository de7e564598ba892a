// The content lines of calendars and vCards (RFC 5545 and 6350): [group.]NAME[;PARAMETER=value]…:value, folded over several
// lines of the file. Only one is in memory.
#pragma once

#include "base/error/error.h"
#include "import/io/bytes.h"
#include "import/io/limits.h"
#include "import/io/lines.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// The longest real line is a photo in base64.
inline constexpr std::size_t kMaxContentLineBytes = 64 * limits::kMiB;

struct ContentLine {
  struct Parameter {
    std::string name;  // upper case
    std::vector<std::string> values;
  };

  std::int64_t offset = 0;  // of its first byte in the file
  std::string group, name;  // name in upper case; "" if the line has none, then `value` is the whole line
  std::vector<Parameter> parameters;
  std::string value;         // bytes as written, unfolded
  bool cut = false;          // longer than kMaxContentLineBytes and truncated
  std::string charset = {};  // the file's charset, for lines without their own; "" for UTF-8

  std::string_view parameter(std::string_view upper_name) const;              // the first value; "" if absent
  bool has(std::string_view upper_name, std::string_view lower_value) const;  // one of its values, ignoring case
  std::string text() const;                                                   // the value as UTF-8, unescaped
  std::vector<std::string> list(char separator) const;                        // split at unescaped separators
  std::string decoded() const;  // the value as UTF-8 with its transfer encoding (vCard 2.1) decoded, escapes kept
};

class ContentLines {
 public:
  explicit ContentLines(Bytes& bytes, std::string_view charset = {}) : lines_(bytes), charset_(charset) {}
  Result<bool> next();  // false at the end; skips empty lines
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

// Replaces \n, \N, \, \; and \\; other backslashes are kept.
std::string unescaped(std::string_view text);
std::vector<std::string> split_escaped(std::string_view text, char separator);  // also unescapes the parts

// Decodes base64 with any white space; nullopt if invalid.
std::optional<std::string> lenient_base64(std::string_view text);

// BEGIN:X … END:X: the events of a calendar or the cards of an address book, one at a time.

// Limits of one component; excess lines are counted in `left_out`.
inline constexpr std::size_t kMaxComponentBytes = 80 * limits::kMiB;
inline constexpr std::size_t kMaxComponentLines = 20'000;

struct Component {
  std::string name;         // upper case; "" for a line outside components
  std::int64_t offset = 0;  // of its BEGIN line
  std::vector<ContentLine> lines;
  std::vector<Component> inner;  // one level: alarms, observances; deeper ones are dropped
  bool finished = true;          // END was found
  std::size_t left_out = 0;      // lines over the limits or without a name
  std::int64_t left_out_at = 0;  // offset of the first of them

  const ContentLine* find(std::string_view upper_name) const;
  std::string text(std::string_view upper_name) const;  // of the first line with that name; "" if there is none
};

class Components {
 public:
  // `container` (VCALENDAR) is entered, not returned; "" if components are not nested. `charset` is the file's.
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
