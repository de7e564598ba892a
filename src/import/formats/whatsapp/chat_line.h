// The start of a line in an exported chat, `[31/12/2022, 11:40:26] ` or `28/3/2025, 9:29 p. m. - `: the three numbers of a date
// in an unknown order, and a time of day.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>

namespace ladder::imports {

struct ChatLineHeader {
  std::array<int, 3> date{};    // as written, left to right
  std::array<int, 3> digits{};  // number of digits of each
  char separator = '/';
  int hour = 0, minute = 0, second = 0;  // 24 hours
  bool twelve_hours = false;             // written with AM or PM
  std::size_t length = 0;                // bytes of the line before the name or text
};

// Returns nullopt if the line does not start a message.
std::optional<ChatLineHeader> parse_chat_line_header(std::string_view line);

enum class DateOrder : std::uint8_t { kDayMonthYear, kMonthDayYear, kYearMonthDay };

// Determines the date order of a file from all its messages: by numbers that are valid in one order only, otherwise by the
// order in which times increase.
class DateOrderVote {
 public:
  void add(const ChatLineHeader& head);
  struct Verdict {
    DateOrder order = DateOrder::kDayMonthYear;
    bool ambiguous = false;  // the file is ambiguous, and the order is a guess
  };
  Verdict verdict() const;

 private:
  std::int64_t year_first_ = 0, day_first_only_ = 0, month_first_only_ = 0;
  std::int64_t back_if_day_first_ = 0, back_if_month_first_ = 0;  // how often time would go backward
  std::int64_t last_day_first_ = 0, last_month_first_ = 0, heads_ = 0, twelve_hours_ = 0;
  char separator_ = '/';
};

// Microseconds since 1970, reading the time as UTC; nullopt if the date does not exist.
std::optional<std::int64_t> time_of(const ChatLineHeader& head, DateOrder order);

}  // namespace ladder::imports
