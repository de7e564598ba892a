#include "import/formats/mail/quoted_time.h"

#include "base/text/casefold.h"
#include "base/text/format.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <span>
#include <vector>

namespace ladder::imports::mail {
namespace {

constexpr std::size_t kMaxLineBytes = 300;            // of a line that introduces a quote
constexpr std::size_t kMaxLabelBytes = 40;            // "Отправлено:"
constexpr std::size_t kMaxSearchedBytes = 1 << 20;    // at the end of a text, where the oldest quote is
constexpr int kFirstYear = 1971, kEndYear = 2100;     // as for Date headers
constexpr int kFirstShortYear = 70;                   // "99" is 1999, and "24" is 2024
constexpr std::string_view kQuoteMarks = "> |\t\r*";  // before and after a quoted line; asterisks mean bold text

// Case-folded prefixes of the names of the months: English, German, French, Spanish, Italian, Portuguese, Dutch, the
// Scandinavian languages, Polish, Russian.
constexpr std::array<std::array<std::string_view, 6>, 12> kMonths = {{
    {"jan", "jän", "ene", "gen", "sty", "янв"},
    {"feb", "fev", "fév", "lut", "фев"},
    {"mar", "mär", "mrt", "maa", "мар"},
    {"apr", "avr", "abr", "kwi", "апр"},
    {"may", "mai", "maj", "mei", "mag", "мая"},
    {"jun", "juin", "giu", "cze", "июн"},
    {"jul", "juil", "lug", "lip", "июл"},
    {"aug", "aoû", "ago", "sie", "авг"},
    {"sep", "set", "wrz", "сен"},
    {"oct", "okt", "ott", "out", "paź", "окт"},
    {"nov", "lis", "ноя"},
    {"dec", "dez", "déc", "dic", "gru", "дек"},
}};

int month_of(std::string_view word) {
  const std::string folded = fold(word);
  for (std::size_t month = 0; month < kMonths.size(); ++month) {
    const auto begins = [&](std::string_view name) { return !name.empty() && folded.starts_with(name); };
    if (std::ranges::any_of(kMonths[month], begins)) return static_cast<int>(month) + 1;
  }
  return 0;
}

bool is_ascii_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_letter(char c) { return is_ascii_letter(c) || static_cast<unsigned char>(c) >= 0x80; }

struct Token {
  std::string_view text;
  bool is_number = false;
  int value = 0;  // a number's value; for a word the month that it may name, or 0
};

// Splits a line into numbers and words. Digits in an ASCII word ("bob2@example.org") are part of the word.
std::vector<Token> tokens_of(std::string_view line) {
  std::vector<Token> tokens;
  for (std::size_t at = 0; at < line.size();) {
    const std::size_t start = at;
    if (is_digit(line[at])) {
      while (at < line.size() && is_digit(line[at])) ++at;
      if (at < line.size() && is_ascii_letter(line[at]) && at - start > 2) continue;
      Token token{line.substr(start, at - start), true};
      std::from_chars(token.text.data(), token.text.data() + token.text.size(), token.value);
      tokens.push_back(token);
    } else if (is_letter(line[at])) {
      const bool is_ascii = is_ascii_letter(line[at]);
      while (at < line.size() && (is_letter(line[at]) || (is_ascii && is_digit(line[at])))) ++at;
      tokens.push_back({line.substr(start, at - start)});
    } else {
      ++at;
    }
  }
  return tokens;
}

class LineDate {
 public:
  explicit LineDate(std::string_view line) : line_(line), tokens_(tokens_of(line)) {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!tokens_[i].is_number) continue;
      if (take_clock(i)) i += seconds_after(i + 1) ? 2 : 1;
      else take_number(i);
    }
    take_month();
  }

  std::string text() const {
    std::vector<int> parts = parts_;
    std::optional<int> year = year_;
    if (!year && parts.size() == (month_ == 0 ? 3U : 2U)) {
      year = parts.back() < kFirstShortYear ? 2000 + parts.back() : 1900 + parts.back();
      parts.pop_back();
    }
    if (month_ != 0 && parts.size() == 1) parts.push_back(month_);
    if (!minute_ || !year || parts.size() != 2) return {};
    const auto [low, high] = std::minmax(parts[0], parts[1]);
    if (low < 1 || low > 12 || high > 31) return {};
    return format("{:04}-{:02}-{:02}:{:02}", *year, low, high, *minute_);
  }

 private:
  char after(std::size_t i) const {
    const std::size_t end = static_cast<std::size_t>(tokens_[i].text.data() - line_.data()) + tokens_[i].text.size();
    return end < line_.size() ? line_[end] : '\0';
  }
  char before(std::size_t i) const {
    const auto start = static_cast<std::size_t>(tokens_[i].text.data() - line_.data());
    return start > 0 ? line_[start - 1] : '\0';
  }
  bool has_digits(std::size_t i, std::size_t most) const {
    return i < tokens_.size() && tokens_[i].is_number && tokens_[i].text.size() <= most;
  }

  // "10:00"
  bool take_clock(std::size_t i) {
    if (minute_ || !has_digits(i, 2) || after(i) != ':' || !has_digits(i + 1, 2) || before(i + 1) != ':') return false;
    if (tokens_[i].value > 23 || tokens_[i + 1].value > 59 || tokens_[i + 1].text.size() != 2) return false;
    minute_ = tokens_[i + 1].value;
    return true;
  }
  bool seconds_after(std::size_t i) const { return after(i) == ':' && has_digits(i + 1, 2) && before(i + 1) == ':'; }

  void take_number(std::size_t i) {
    const Token& token = tokens_[i];
    const bool is_zone = token.text.size() == 4 && (before(i) == '+' || before(i) == '-') && minute_;
    if (is_zone) return;
    if (token.text.size() == 4 && !year_ && token.value >= kFirstYear && token.value < kEndYear) year_ = token.value;
    if (token.text.size() <= 2 && parts_.size() < 3 && !(year_ && parts_.size() == 2)) {
      parts_.push_back(token.value);
      places_.push_back(i);
    }
  }

  // A month is next to its day, or separated from it by one short word ("5 de mayo"). The last match counts, because an earlier
  // "mar" may be a weekday.
  void take_month() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const auto is_day = [&](std::size_t at) { return std::ranges::find(places_, at) != places_.end(); };
      const bool follows_short_word = i >= 2 && !tokens_[i - 1].is_number && tokens_[i - 1].text == "de" && is_day(i - 2);
      if (tokens_[i].is_number || !(is_day(i + 1) || (i >= 1 && is_day(i - 1)) || follows_short_word)) continue;
      if (const int month = month_of(tokens_[i].text)) month_ = month;
    }
    if (month_ != 0 && year_ && parts_.size() > 1) parts_.resize(1);
  }

  std::string_view line_;
  std::vector<Token> tokens_;
  std::vector<int> parts_;           // numbers that may be a day, a month or a short year
  std::vector<std::size_t> places_;  // their tokens
  std::optional<int> year_, minute_;
  int month_ = 0;
};

std::string_view without_marks(std::string_view line) {
  const std::size_t start = line.find_first_not_of(kQuoteMarks);
  if (start == std::string_view::npos) return {};
  return line.substr(start, line.find_last_not_of(kQuoteMarks) + 1 - start);
}

// "Sent: …", "发送时间：…"
bool has_label(std::string_view line) {
  const std::string_view label = line.substr(0, std::min(line.find(':'), line.find("：")));
  return !label.empty() && label.size() <= kMaxLabelBytes && label.size() < line.size() && std::ranges::none_of(label, is_digit);
}

bool ends_with_colon(std::string_view line) { return line.ends_with(':') || line.ends_with("："); }

// Matches header lines of the quoted message, a line that ends with a colon or continues on one that does, and the style of
// Lotus Notes: the time alone, or an address and the time. Lines of dashes contain the time of forwarding and do not match.
bool introduces_quote(std::string_view line, std::string_view next) {
  if (line.starts_with('-') || line.size() > kMaxLineBytes) return false;
  return has_label(line) || is_digit(line.front()) || ends_with_colon(line) || line.find('@') != std::string_view::npos ||
         (next.size() <= kMaxLineBytes && ends_with_colon(next) && !has_label(next.substr(0, next.size() - 1)));
}

}  // namespace

std::string written_minute(std::string_view line) { return LineDate(line).text(); }

std::string quoted_minute(std::string_view text) {
  std::string_view next;
  const std::size_t first = text.size() > kMaxSearchedBytes ? text.size() - kMaxSearchedBytes : 0;
  for (std::size_t end = text.size(); end > first;) {
    const std::size_t before = text.rfind('\n', end - 1);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    const std::string_view line = without_marks(text.substr(start, end - start));
    end = before == std::string_view::npos ? 0 : before;
    if (line.empty()) continue;
    if (line.find(':') != std::string_view::npos && introduces_quote(line, next)) {
      if (std::string minute = written_minute(line); !minute.empty()) return minute;
    }
    next = line;
  }
  return {};
}

}  // namespace ladder::imports::mail
