// QIF: lines that begin with a letter, ^ after each booking. The order of day and month is decided over the whole file.
#include "import/formats/statements/statement_records.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "import/text/text.h"

#include <array>

namespace ladder::imports::statements {
namespace {

// The three numbers of a date, in the order in which they are written.
struct WrittenDate {
  std::array<std::int64_t, 3> parts{};
  bool has_apostrophe = false;  // before a year from 2000 on
  bool is_valid = false;
};

WrittenDate written_date(std::string_view text) {
  WrittenDate date;
  std::size_t count = 0;
  std::string digits;
  const auto take = [&] {
    if (digits.empty()) return true;
    if (count == 3 || digits.size() > 4) return false;
    date.parts[count++] = parse_number(digits).value_or(0);
    digits.clear();
    return true;
  };
  for (const char c : text) {
    if (is_digit(c)) {
      digits += c;
      continue;
    }
    if (c == '\'') date.has_apostrophe = true;
    if (c != ' ' && !take()) return date;
  }
  date.is_valid = take() && count == 3;
  return date;
}

enum class Order { kYearFirst, kDayFirst, kMonthFirst };

std::string day_of(const WrittenDate& date, Order order) {
  const auto [a, b, c] = date.parts;
  std::int64_t year = order == Order::kYearFirst ? a : c;
  const std::int64_t month = order == Order::kMonthFirst ? a : b, day = order == Order::kYearFirst  ? c
                                                                        : order == Order::kDayFirst ? a
                                                                                                    : b;
  if (year < 100) year += date.has_apostrophe || year < 70 ? 2000 : 1900;
  const std::string text = format("{:04}-{:02}-{:02}", year, month, day);
  return parse_time(text) ? text : std::string();
}

void each_line(std::string_view text, const auto& use) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = text.substr(at, end - at);
    while (line.ends_with('\r') || line.ends_with(' ')) line.remove_suffix(1);
    if (!line.empty()) use(line, static_cast<std::int64_t>(at));
    at = end + 1;
  }
}

}  // namespace

Status read_qif(std::string_view text, const std::string& file, std::string_view account, Sink& sink) {
  bool year_first = false, day_first = false, month_first = false;
  each_line(text, [&](std::string_view line, std::int64_t) {
    if (line.front() != 'D') return;
    const WrittenDate date = written_date(line.substr(1));
    if (!date.is_valid) return;
    year_first = year_first || date.parts[0] > 31;
    day_first = day_first || (date.parts[0] > 12 && date.parts[0] <= 31);
    month_first = month_first || date.parts[1] > 12;
  });
  const Order order = year_first ? Order::kYearFirst : day_first ? Order::kDayFirst : Order::kMonthFirst;
  const bool is_ambiguous = !year_first && !day_first && !month_first;
  Writer writer(sink);
  Transaction now;
  std::string name(account);
  bool in_account = false, is_listed = true, has_file_as_account = true;
  std::int64_t begin = -1;
  Status status;
  each_line(text, [&](std::string_view line, std::int64_t offset) {
    if (!status) return;
    const std::string value(trim(line.substr(1)));
    if (line.front() == '!') {
      const std::string kind = lower_ascii(value);
      in_account = kind == "account";
      // Lists of categories and stocks have no bookings.
      is_listed = in_account || kind.starts_with("type:bank") || kind.starts_with("type:c") || kind.starts_with("type:oth");
      if (kind.starts_with("type:cat") || kind.starts_with("type:class")) is_listed = false;
      return;
    }
    if (line.front() == '^') {
      if (in_account) in_account = false;
      else if (is_listed && begin >= 0) status = writer.send(now, {file, begin});
      else if (begin >= 0) status = sink.skipped("transactions", "an entry of a list (categories, stocks) of a QIF file");
      now = {};
      begin = -1;
      return;
    }
    if (in_account) {
      if (line.front() == 'N' && !value.empty()) {
        name = value;
        has_file_as_account = false;
      }
      return;
    }
    if (begin < 0) begin = offset;
    now.account = name;
    now.has_file_as_account = has_file_as_account;
    now.date_ambiguous = is_ambiguous;
    switch (line.front()) {
      case 'D':
        now.booked = day_of(written_date(value), order);
        break;
      case 'T':
        now.amount = amount_of(now.amount_text = value);
        break;
      case 'P':
        now.counterparty = value;
        break;
      case 'M':
        now.text = value;
        break;
      case 'N':
        now.check_number = value;
        break;
      case 'L':
        now.category = value;
        break;
      case 'E':  // the text of a part
        now.text += (now.text.empty() ? "" : "\n") + value;
        break;
      default:
        break;
    }
  });
  return status;
}

}  // namespace ladder::imports::statements
