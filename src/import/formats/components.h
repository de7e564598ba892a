// BEGIN:X … END:X: the events of a calendar, the cards of an address book, one at a time.
#pragma once

#include "base/result.h"
#include "import/formats/content_lines.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

// What one component may hold; the lines over it are counted in `left_out`.
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
