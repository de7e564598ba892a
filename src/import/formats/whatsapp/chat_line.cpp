#include "import/formats/whatsapp/chat_line.h"

#include "base/time/time.h"
#include "import/text/text.h"

#include <string>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::int64_t kDaysInAYear = 366;

class Cursor {
 public:
  explicit Cursor(std::string_view text) : text_(text) {}
  std::size_t at() const { return at_; }
  std::string_view rest() const { return text_.substr(at_); }

  bool take(std::string_view word) {
    if (!rest().starts_with(word)) return false;
    at_ += word.size();
    return true;
  }
  // Skips all kinds of spaces, and invisible direction marks.
  void skip_blank() {
    while (take(" ") || take("\t") || take("\xC2\xA0") || take("\xE2\x80\xAF") || take("\xE2\x80\x8E") || take("\xE2\x80\x8F") ||
           take("\xE2\x80\xAA") || take("\xE2\x80\xAC") || take("\xEF\xBB\xBF")) {
    }
  }
  // Reads 1 to `most` digits.
  bool number(int most, int& value, int& digits) {
    value = 0;
    digits = 0;
    for (Digit digit = digit_here(); digits < most && digit.bytes > 0; digit = digit_here()) {
      value = value * 10 + digit.value;
      at_ += digit.bytes;
      ++digits;
    }
    return digits > 0 && digit_here().bytes == 0;
  }

 private:
  struct Digit {
    int value = 0;
    std::size_t bytes = 0;  // 0: no digit
  };
  // Reads a Western, Arabic (U+0660…) or Persian (U+06F0…) digit.
  Digit digit_here() const {
    const auto byte = [this](std::size_t i) { return at_ + i < text_.size() ? static_cast<unsigned char>(text_[at_ + i]) : 0; };
    if (byte(0) >= '0' && byte(0) <= '9') return {byte(0) - '0', 1};
    if (byte(0) == 0xD9 && byte(1) >= 0xA0 && byte(1) <= 0xA9) return {byte(1) - 0xA0, 2};
    if (byte(0) == 0xDB && byte(1) >= 0xB0 && byte(1) <= 0xB9) return {byte(1) - 0xB0, 2};
    return {};
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

bool take_date(Cursor& cursor, ChatLineHeader& head) {
  const auto skip_marks = [&cursor] {
    while (cursor.take("\xE2\x80\x8F") || cursor.take("\xE2\x80\x8E")) {
    }
  };
  if (!cursor.number(4, head.date[0], head.digits[0])) return false;
  skip_marks();  // phones set to Arabic write a direction mark before every slash
  for (const std::string_view separator : {"/", "-", "."}) {
    if (!cursor.take(separator)) continue;
    head.separator = separator.front();
    cursor.skip_blank();  // "31. 12. 2022"
    if (!cursor.number(2, head.date[1], head.digits[1])) return false;
    skip_marks();
    if (!cursor.take(separator)) return false;
    cursor.skip_blank();
    if (!cursor.number(4, head.date[2], head.digits[2])) return false;
    cursor.take(".");
    return head.digits[2] != 3 && head.digits[0] != 3;
  }
  return false;
}

// Reads AM or PM in the notations of phones: 0 none, 1 AM, 2 PM.
int take_half_of_day(Cursor& cursor) {
  struct Word {
    std::string_view text;
    int half;
  };
  static constexpr Word kWords[] = {{"a.m.", 1},
                                    {"a. m.", 1},
                                    {"a.\xC2\xA0m.", 1},
                                    {"a.\xE2\x80\xAFm.", 1},
                                    {"am", 1},
                                    {"p.m.", 2},
                                    {"p. m.", 2},
                                    {"p.\xC2\xA0m.", 2},
                                    {"p.\xE2\x80\xAFm.", 2},
                                    {"pm", 2},
                                    {"上午", 1},
                                    {"下午", 2},
                                    {"午前", 1},
                                    {"午後", 2},
                                    {"오전", 1},
                                    {"오후", 2},
                                    {"vorm.", 1},
                                    {"nachm.", 2},
                                    {"π.μ.", 1},
                                    {"μ.μ.", 2},
                                    {"ص", 1},
                                    {"م", 2},
                                    {"ق.ظ", 1},
                                    {"ب.ظ", 2},
                                    {"ptg", 2},
                                    {"pg", 1}};
  const std::string lower = lower_ascii(cursor.rest().substr(0, 16));
  for (const Word& word : kWords) {
    if (!lower.starts_with(word.text)) continue;
    cursor.take(cursor.rest().substr(0, word.text.size()));
    return word.half;
  }
  return 0;
}

bool take_time(Cursor& cursor, ChatLineHeader& head) {
  int half = take_half_of_day(cursor);
  cursor.skip_blank();
  int digits = 0;
  if (!cursor.number(2, head.hour, digits) || !(cursor.take(":") || cursor.take("."))) return false;
  if (!cursor.number(2, head.minute, digits) || digits != 2) return false;
  if (cursor.take(":") || (cursor.rest().size() > 2 && cursor.rest()[0] == '.' && cursor.rest()[1] >= '0' &&
                           cursor.rest()[1] <= '9' && cursor.take("."))) {
    if (!cursor.number(2, head.second, digits) || digits != 2) return false;
  }
  Cursor before = cursor;
  cursor.skip_blank();
  if (half == 0) half = take_half_of_day(cursor);
  if (half == 0) cursor = before;
  if (head.hour > 23 || head.minute > 59 || head.second > 59) return false;
  head.twelve_hours = half != 0 && head.hour <= 12;
  if (half == 2 && head.hour < 12) head.hour += 12;
  if (half == 1 && head.hour == 12) head.hour = 0;
  return true;
}

struct Date {
  int year, month, day;
};

Date ordered(const ChatLineHeader& head, DateOrder order) {
  const auto [a, b, c] = head.date;
  Date date = order == DateOrder::kYearMonthDay   ? Date{a, b, c}
              : order == DateOrder::kMonthDayYear ? Date{c, a, b}
                                                  : Date{c, b, a};
  if (date.year < 100) date.year += 2000;
  return date;
}

bool exists(const Date& date) {
  return date.year >= 1970 && date.year <= 9999 && date.month >= 1 && date.month <= 12 && date.day >= 1 &&
         date.day <= days_in_month(date.year, date.month);
}

// Approximate day number, for comparisons only.
std::int64_t rough_days(const Date& date) { return date.year * kDaysInAYear + date.month * std::int64_t{31} + date.day; }

}  // namespace

std::optional<ChatLineHeader> parse_chat_line_header(std::string_view line) {
  Cursor cursor(line);
  cursor.skip_blank();
  const bool bracket = cursor.take("[");
  ChatLineHeader head;
  if (!take_date(cursor, head)) return std::nullopt;
  if (!cursor.take(",")) cursor.take("،");
  cursor.skip_blank();
  if (cursor.take("klo")) cursor.skip_blank();  // Finnish: "13.5.2024 klo 21.05"
  if (!take_time(cursor, head)) return std::nullopt;
  if (bracket) {
    if (!cursor.take("]")) return std::nullopt;
    cursor.skip_blank();
  } else {
    cursor.skip_blank();
    if (!cursor.take("- ") && !cursor.take("\xE2\x80\x93 ")) return std::nullopt;
  }
  head.length = cursor.at();
  return head;
}

void DateOrderVote::add(const ChatLineHeader& head) {
  separator_ = head.separator;
  ++heads_;
  if (head.twelve_hours) ++twelve_hours_;
  if (head.digits[0] == 4 || head.date[0] > 31) {
    ++year_first_;
    return;
  }
  if (head.date[0] > 12) ++day_first_only_;
  if (head.date[1] > 12) ++month_first_only_;
  const std::int64_t day_first = rough_days(ordered(head, DateOrder::kDayMonthYear));
  const std::int64_t month_first = rough_days(ordered(head, DateOrder::kMonthDayYear));
  if (heads_ > 1) {
    back_if_day_first_ += day_first < last_day_first_ ? 1 : 0;
    back_if_month_first_ += month_first < last_month_first_ ? 1 : 0;
  }
  last_day_first_ = day_first;
  last_month_first_ = month_first;
}

DateOrderVote::Verdict DateOrderVote::verdict() const {
  if (year_first_ * 2 > heads_) return {DateOrder::kYearMonthDay, false};
  if (day_first_only_ != month_first_only_) {
    return {day_first_only_ > month_first_only_ ? DateOrder::kDayMonthYear : DateOrder::kMonthDayYear, false};
  }
  if (back_if_day_first_ != back_if_month_first_) {
    return {back_if_day_first_ < back_if_month_first_ ? DateOrder::kDayMonthYear : DateOrder::kMonthDayYear, false};
  }
  const bool american = separator_ == '/' && twelve_hours_ * 2 > heads_;
  return {american ? DateOrder::kMonthDayYear : DateOrder::kDayMonthYear, true};
}

std::optional<std::int64_t> time_of(const ChatLineHeader& head, DateOrder order) {
  const Date date = ordered(head, order);
  if (!exists(date)) return std::nullopt;
  const std::int64_t days = days_of({date.year, date.month, date.day});
  return days * kDay + ((head.hour * 60 + head.minute) * 60 + head.second) * kSecond;
}

}  // namespace ladder::imports
