#include "import/formats/statements/statement_records.h"

#include "base/text/number.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <cmath>

namespace ladder::imports::statements {
namespace {

constexpr std::size_t kTitleBytes = 120;

std::optional<Instant> midnight(const std::string& day) { return day.empty() ? std::nullopt : parse_time(day); }

}  // namespace

Status Writer::send(const Transaction& given, const wire::FileLocation& place) {
  if (!given.amount) return sink_.lost(place, "a booking without a readable amount");
  const std::string& day = given.booked.empty() ? given.valued : given.booked;
  const auto time = midnight(day);
  if (!time) return sink_.lost(place, "a booking without a readable date");
  json::Writer out;
  const std::string basis = given.own_id.empty() ? given.counterparty + "\n" + given.text : given.own_id;
  const std::string_view account = given.has_file_as_account ? std::string_view() : given.account;
  out.begin_object().member("id", ids_.next({account, day, given.amount_text, basis}));
  out.member("booked_on", day).member("at", format_time(*time));
  if (!given.valued.empty()) out.member("valued_on", given.valued);
  out.member("amount", *given.amount).optional_member("currency", given.currency).optional_member("account", given.account);
  out.optional_member("counterparty", given.counterparty).optional_member("counterparty_account", given.counterparty_account);
  const std::string title =
      given.counterparty.empty() ? std::string(beginning(first_line(given.text), kTitleBytes)) : given.counterparty;
  out.optional_member("title", title.empty() ? given.kind : title)
      .optional_member("text", given.text)
      .optional_member("kind", given.kind);
  out.optional_member("category", given.category)
      .optional_member("reference", given.reference)
      .optional_member("check_number", given.check_number);
  if (given.date_ambiguous) out.member("date_ambiguous", true);
  out.end_object();
  return sink_.record({"transactions", out.take(), place, time});
}

Status Writer::send(const Balance& given, const wire::FileLocation& place) {
  const auto time = midnight(given.day);
  if (!time || !given.amount) return {};
  json::Writer out;
  out.begin_object().member("id", digest_id({given.account, given.kind, given.day, given.currency}));
  out.optional_member("account", given.account).member("day", given.day).member("at", format_time(*time));
  out.member("amount", *given.amount).optional_member("currency", given.currency).member("kind", given.kind).end_object();
  return sink_.record({"balances", out.take(), place, time});
}

std::optional<double> amount_of(std::string_view text) {
  std::string digits;
  bool is_negative = false;
  std::size_t decimal = text.find_last_of(".,");
  if (decimal != std::string_view::npos) {
    const std::size_t after = text.find_last_of("0123456789");
    const bool is_thousands = after != std::string_view::npos && after == decimal + 3 && text.find_first_of(".,") != decimal;
    if (is_thousands && text.find_first_of(".,") != std::string_view::npos && text[text.find_first_of(".,")] == text[decimal])
      decimal = std::string_view::npos;
  }
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '-') is_negative = true;
    else if (is_digit(c)) digits += c;
    else if (i == decimal) digits += '.';
    else if (c != ' ' && c != '+' && c != '.' && c != ',' && c != '\'') return std::nullopt;
  }
  if (digits.ends_with('.')) digits += '0';
  const auto value = parse_number<double>(digits.starts_with('.') ? "0" + digits : digits);
  if (!value || !std::isfinite(*value)) return std::nullopt;
  return is_negative ? -*value : *value;
}

std::string day_of(std::string_view text) {
  text = trim(text);
  std::string day;
  if (text.size() >= 10 && text[4] == '-' && text[7] == '-') day = text.substr(0, 10);
  else if (text.size() >= 8 && is_digits(text.substr(0, 8)))
    day = std::string(text.substr(0, 4)) + "-" + std::string(text.substr(4, 2)) + "-" + std::string(text.substr(6, 2));
  return day.empty() || !parse_time(day) ? std::string() : day;
}

}  // namespace ladder::imports::statements
