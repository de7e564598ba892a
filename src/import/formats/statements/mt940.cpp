// MT940: tags at the beginning of lines. :61: is a booking, the :86: after it its text.
#include "import/formats/statements/statement_records.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "import/text/text.h"

namespace ladder::imports::statements {
namespace {

// YYMMDD; a day that the month does not have is its last one.
std::string day_of_six(std::string_view digits) {
  if (digits.size() < 6 || !is_digits(digits.substr(0, 6))) return {};
  const std::int64_t year = *parse_number(digits.substr(0, 2));
  for (std::int64_t day = *parse_number(digits.substr(4, 2)); day > 27; --day) {
    const std::string text = format("{}{}-{}-{:02}", year < 80 ? "20" : "19", digits.substr(0, 2), digits.substr(2, 2), day);
    if (parse_time(text)) return text;
  }
  const std::string text =
      format("{}{}-{}-{}", year < 80 ? "20" : "19", digits.substr(0, 2), digits.substr(2, 2), digits.substr(4, 2));
  return parse_time(text) ? text : std::string();
}

std::string joined(std::string_view lines) {
  std::string all;
  for (const char c : lines) {
    if (c != '\n' && c != '\r') all += c;
  }
  return all;
}

// German banks: three digits, then fields ?20…. Returns false if the text has another form.
bool read_fields(std::string_view text, Transaction& to) {
  if (text.size() < 6 || !is_digits(text.substr(0, 3))) return false;
  const char mark = text[3];
  if (is_digit(mark) || mark == ' ' || !is_digits(text.substr(4, 2))) return false;
  std::string purpose, name;
  for (std::size_t at = 3; at + 3 <= text.size();) {
    const std::string_view number = text.substr(at + 1, 2);
    std::size_t end = at + 3;
    while (end < text.size() && !(text[end] == mark && end + 3 <= text.size() && is_digits(text.substr(end + 1, 2)))) ++end;
    const std::string_view value = text.substr(at + 3, end - at - 3);
    if (number == "00") to.kind = trim(value);
    else if ((number >= "20" && number <= "29") || (number >= "60" && number <= "63")) purpose += value;
    else if (number == "31") to.counterparty_account = trim(value);
    else if (number == "32" || number == "33") name += value;
    at = end;
  }
  to.text = trim(purpose);
  to.counterparty = trim(name);
  if (const std::size_t reference = purpose.find("EREF+"); reference != std::string::npos) {
    const std::size_t end = purpose.find('+', reference + 5);
    std::string_view value =
        std::string_view(purpose).substr(reference + 5, end == std::string::npos ? end : end - reference - 9);
    to.reference = trim(value);
  }
  return true;
}

// 2501310131D12,50NTRFNONREF//123
bool read_line(std::string_view line, Transaction& to) {
  to.valued = day_of_six(line);
  if (to.valued.empty()) return false;
  to.booked = to.valued;
  std::string_view rest = line.substr(6);
  if (rest.size() >= 4 && is_digits(rest.substr(0, 4))) {
    // The year of the booking is that of the nearest day.
    const std::string year = to.valued.substr(0, 4);
    const std::string same = format("{}-{}-{}", year, rest.substr(0, 2), rest.substr(2, 2));
    if (const auto day = parse_time(same)) {
      const Instant valued = *parse_time(to.valued);
      std::string best = same;
      constexpr Instant kHalfAYear = 183 * kDay;
      const std::int64_t number = parse_number(year).value_or(0);
      if (*day - valued > kHalfAYear) best = format("{:04}{}", number - 1, same.substr(4));
      else if (valued - *day > kHalfAYear) best = format("{:04}{}", number + 1, same.substr(4));
      if (parse_time(best)) to.booked = best;
    }
    rest.remove_prefix(4);
  } else {
    while (rest.starts_with(' ')) rest.remove_prefix(1);
  }
  const std::size_t amount = rest.find_first_of("0123456789");
  if (amount == std::string_view::npos || amount > 3) return false;
  const std::string_view mark = rest.substr(0, amount);
  const bool is_debit = mark.starts_with("D") || mark.starts_with("RC") || mark.starts_with("ED");
  const std::size_t end = std::min(rest.find_first_not_of("0123456789,.", amount), rest.size());
  to.amount_text = format("{}{}", is_debit ? "-" : "", rest.substr(amount, end - amount));
  to.amount = amount_of(to.amount_text);
  rest.remove_prefix(end);
  if (rest.size() >= 4) {
    to.kind = rest.substr(0, 4);
    rest.remove_prefix(4);
  }
  const std::string_view own = first_line(rest);
  to.reference = trim(own.substr(0, own.find("//")));
  if (to.reference == "NONREF") to.reference.clear();
  return to.amount.has_value();
}

// C250131EUR123,45
Balance balance_of(std::string_view text, std::string_view kind, const std::string& account) {
  Balance balance{account, {}, std::string(kind), {}, {}};
  if (text.size() < 11) return balance;
  balance.day = day_of_six(text.substr(1));
  balance.currency = text.substr(7, 3);
  balance.amount = amount_of(format("{}{}", text.front() == 'D' ? "-" : "", trim(first_line(text.substr(10)))));
  return balance;
}

}  // namespace

Status read_mt940(std::string_view text, const std::string& file, Sink& sink) {
  Writer writer(sink);
  std::string account, currency;
  std::optional<Transaction> now;
  std::int64_t begin = 0;
  const auto finish = [&]() -> Status {
    if (!now) return {};
    now->account = account;
    now->currency = currency;
    const Transaction done = *std::exchange(now, std::nullopt);
    return writer.send(done, {file, begin});
  };
  // A tag is a colon at the beginning of a line, two digits, a letter at most, and a colon.
  const auto tag_at = [&](std::size_t at) -> std::size_t {
    if (at + 4 > text.size() || text[at] != ':' || !is_digit(text[at + 1]) || !is_digit(text[at + 2])) return 0;
    if (text[at + 3] == ':') return 4;
    return at + 5 <= text.size() && text[at + 4] == ':' ? 5 : 0;
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t length = tag_at(at);
    std::size_t end = at;
    do {
      end = text.find('\n', end);
      end = end == std::string_view::npos ? text.size() : end + 1;
    } while (length > 0 && end < text.size() && tag_at(end) == 0 && text[end] != '-' && text[end] != '{');
    if (length == 0) {
      at = end;
      continue;
    }
    const std::string_view tag = text.substr(at + 1, length - 2), value = trim(text.substr(at + length, end - at - length));
    const auto place = static_cast<std::int64_t>(at);
    at = end;
    if (tag == "25") {
      LADDER_CHECK(finish());
      account = trim(first_line(value));
    } else if (tag == "60F" || tag == "60M") {
      if (value.size() >= 10) currency = value.substr(7, 3);
      if (tag == "60F") LADDER_CHECK(writer.send(balance_of(value, "opening", account), {file, place}));
    } else if (tag == "61") {
      LADDER_CHECK(finish());
      begin = place;
      now.emplace();
      if (!read_line(value, *now)) {
        now.reset();
        LADDER_CHECK(sink.lost({file, place}, "a booking that cannot be read"));
        continue;
      }
      const std::size_t second = value.find('\n');
      if (second != std::string_view::npos) now->text = trim(value.substr(second));
    } else if (tag == "86" && now) {
      const std::string more = joined(value);
      const std::string before = now->text;
      if (!read_fields(more, *now)) now->text = before.empty() ? more : before + "\n" + more;
    } else if (tag == "62F" || tag == "62M" || tag == "64") {
      LADDER_CHECK(finish());
      if (tag != "62M")
        LADDER_CHECK(writer.send(balance_of(value, tag == "64" ? "available" : "closing", account), {file, place}));
    }
  }
  return finish();
}

}  // namespace ladder::imports::statements
