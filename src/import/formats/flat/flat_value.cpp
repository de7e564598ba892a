#include "import/formats/flat/flat_value.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "import/formats/calendar/calendar_time.h"
#include "import/formats/mail/mail_date.h"
#include "import/formats/table/table_plan.h"
#include "import/html/html_text.h"
#include "import/text/text.h"
#include "json/scan/scan.h"
#include "json/writer.h"

#include <algorithm>
#include <array>

namespace ladder::imports::flat {
namespace {

std::optional<int> month_named(std::string_view word) {
  constexpr std::array<std::string_view, 12> kMonths = {"jan", "feb", "mar", "apr", "may", "jun",
                                                        "jul", "aug", "sep", "oct", "nov", "dec"};
  const std::string lower = lower_ascii(word.substr(0, 3));
  const auto found = std::ranges::find(kMonths, std::string_view(lower));
  if (word.size() < 3 || found == kMonths.end()) return std::nullopt;
  return static_cast<int>(found - kMonths.begin()) + 1;
}

std::optional<std::int64_t> small_number(std::string_view text) {
  return is_digits(text) && text.size() <= 4 ? parse_number(text) : std::nullopt;
}

// "20:19:24" or "1:45".
std::optional<std::int64_t> seconds_of_day(std::string_view clock) {
  std::int64_t seconds = 0;
  int parts = 0;
  for (std::size_t at = 0; at <= clock.size(); ++parts) {
    const std::size_t end = std::min(clock.find(':', at), clock.size());
    const auto part = small_number(clock.substr(at, end - at));
    if (!part || parts == 3 || *part > 59) return std::nullopt;
    seconds = seconds * 60 + *part;
    at = end + 1;
  }
  if (parts < 2) return std::nullopt;
  return parts == 2 ? seconds * 60 : seconds;
}

// "+0000" or "-07:00" in seconds.
std::optional<std::int64_t> zone_offset(std::string_view word) {
  if (word.size() < 5 || (word[0] != '+' && word[0] != '-')) return std::nullopt;
  std::string digits(word.substr(1));
  std::erase(digits, ':');
  if (digits.size() != 4 || !is_digits(digits)) return std::nullopt;
  const std::int64_t seconds = (*small_number(digits.substr(0, 2)) * 60 + *small_number(digits.substr(2))) * 60;
  return word[0] == '-' ? -seconds : seconds;
}

// A date with the English name of a month, in any order.
std::optional<Instant> date_with_month_name(std::string_view text) {
  std::optional<int> month;
  std::optional<std::int64_t> day, year, clock;
  std::int64_t zone = 0;
  bool afternoon = false, morning = false;
  for (std::size_t at = 0; at < text.size();) {
    constexpr std::string_view kBetween = " ,\xE2\x80\xAF";  // includes the bytes of a narrow no-break space
    at = std::min(text.find_first_not_of(kBetween, at), text.size());
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end;
    if (word.empty()) break;
    const std::string lower = lower_ascii(word);
    if (const auto number = small_number(word)) {
      (word.size() == 4 ? year : day) = number;
    } else if (const auto seconds = seconds_of_day(word)) {
      clock = seconds;
    } else if (const auto offset = zone_offset(word)) {
      zone = *offset;
    } else if (lower == "pm" || lower == "am") {
      (lower == "pm" ? afternoon : morning) = true;
    } else if (const auto named = month_named(word)) {
      month = named;
    } else if (lower != "utc" && lower != "gmt" && lower != "z" && lower != "at" && word.size() != 3) {
      return std::nullopt;  // a day of the week has three letters
    }
  }
  if (!month || !day || !year || *day < 1 || *day > days_in_month(*year, *month)) return std::nullopt;
  std::int64_t seconds = clock.value_or(0);
  if (afternoon && seconds < 12 * 3600) seconds += 12 * 3600;
  if (morning && seconds >= 12 * 3600) seconds -= 12 * 3600;
  return days_of({*year, *month, static_cast<int>(*day)}) * kDay + (seconds - zone) * kSecond;
}

// Since 1970, in the unit that gives a year after 2000.
std::optional<Instant> date_of_number(std::string_view digits) {
  const auto number = parse_number(digits);
  if (!number) return std::nullopt;
  switch (digits.size()) {
    case 9:
    case 10:
      return *number * kSecond;
    case 13:
      return *number * 1000;
    case 16:
      return *number;
    default:
      return std::nullopt;
  }
}

// "2020-11-30 23:30:03.690000+00:00", "2023-04-22 10:11:12 UTC", "2024-05-06 18:43".
std::optional<Instant> date_with_year_first(std::string_view text) {
  if (text.size() < 10 || !is_digits(text.substr(0, 4)) || text[4] != '-' || text[7] != '-') return std::nullopt;
  std::string normal(text.substr(0, text.find('[')));  // "…Z[UTC]" in Java
  for (const std::string_view zone : {" UTC", " GMT"}) {
    if (normal.ends_with(zone)) normal.replace(normal.size() - 4, 4, "Z");
  }
  if (normal.size() == 10) return parse_time(normal);
  normal[10] = 'T';
  if (const std::size_t space = normal.find(' '); space != std::string::npos) normal.erase(space, 1);
  std::size_t zone = normal.find_first_of("Z+-", 11);
  if (zone == std::string::npos) zone = normal.size(), normal += 'Z';
  if (normal.size() - zone == 5 && normal[zone] != 'Z') normal.insert(zone + 3, ":");  // +0000
  if (zone == 16) normal.insert(16, ":00");                                            // no seconds
  return parse_time(normal);
}

std::string shown(std::string_view text) { return format("'{}{}'", beginning(text, 40), text.size() > 40 ? "…" : ""); }

std::string text_json(std::string_view text) {
  std::string out;
  json::append_string(out, text);
  return out;
}

// {"text":"a"},{"text":"b"} → ab; other text is returned as it is.
std::string joined_pieces(std::string_view text) {
  const std::string list = format("[{}]", text);
  if (!json::check(list, 8)) return std::string(text);
  std::string joined;
  for (json::Elements pieces(json::value_of(list).text); pieces.next();) {
    if (pieces.value().kind != json::Kind::kObject) return std::string(text);
    const auto piece = json::member(pieces.value().text, "text");
    if (piece && piece->kind == json::Kind::kString) joined += json::decode_string(json::raw_content(*piece));
  }
  return joined;
}

// Decodes the entities that services write; line breaks stay. Text with tags is converted as a page.
std::string without_html(std::string_view text) {
  for (const std::string_view tag : {"<p", "<br", "<div", "<a ", "</"}) {
    if (text.find(tag) != std::string_view::npos) return html_to_text(text, "utf-8").text;
  }
  constexpr std::array<std::pair<std::string_view, std::string_view>, 6> kEntities = {
      {{"&amp;", "&"}, {"&lt;", "<"}, {"&gt;", ">"}, {"&quot;", "\""}, {"&#39;", "'"}, {"&#x200B;", ""}}};
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto found =
        std::ranges::find_if(kEntities, [&](const auto& entity) { return text.substr(at).starts_with(entity.first); });
    if (found == kEntities.end()) {
      out += text[at++];
    } else {
      out += found->second;
      at += found->first.size();
    }
  }
  return out;
}

std::expected<std::string, std::string> number_of(std::string_view text, FieldType type, const ValuePlan& plan) {
  if (plan.clock) {
    const auto seconds = seconds_of_day(text);
    return seconds ? std::expected<std::string, std::string>(std::to_string(*seconds))
                   : std::unexpected(shown(text) + " is no duration");
  }
  const CellRule rule{type == FieldType::kInteger ? CellType::kInteger : CellType::kNumber, plan.decimal, ""};
  auto number = cell_json(text, rule);
  if (!number) return std::unexpected(number.error());
  if (!*number) return std::unexpected("it is empty");
  std::string written = **std::move(number);
  if (plan.negate && written != "0") written = written.starts_with('-') ? written.substr(1) : "-" + written;
  return written;
}

}  // namespace

std::optional<Instant> read_date(std::string_view text, std::string_view order) {
  text = trim(text);
  if (is_digits(text)) return date_of_number(text);
  if (const auto date = date_with_year_first(text)) return date;
  if (const auto date = date_with_month_name(text)) return date;
  const auto cell = cell_json(text, {CellType::kTime, '.', std::string(order)});
  if (!cell || !*cell) return std::nullopt;
  return parse_time(std::string_view(**cell).substr(1, (*cell)->size() - 2));
}

std::optional<Instant> ColumnZone::instant(std::string_view zone, Instant local) {
  constexpr std::string_view kAnyDay = "1 Jan 2000 12:00";
  const auto in_utc = mail::parse_mail_date(kAnyDay), in_zone = mail::parse_mail_date(format("{} {}", kAnyDay, zone));
  if (in_utc && in_zone && in_zone->unknown_zone.empty()) return local + (in_zone->time - in_utc->time);
  if (name_ != zone) {
    auto loaded = TimeZone::load(zone);
    name_ = zone;
    loaded_ = loaded ? std::optional(*std::move(loaded)) : std::nullopt;
  }
  return loaded_ ? std::optional(calendar::from_local(*loaded_, local)) : std::nullopt;
}

void DateOrder::add(std::string_view cell) {
  cell = trim(cell);
  const std::size_t first = std::min(cell.find_first_not_of("0123456789"), cell.size());
  if (first == 0 || first > 2 || first == cell.size()) return;
  const std::string_view rest = cell.substr(first + 1);
  const auto one = small_number(cell.substr(0, first));
  const auto two = small_number(rest.substr(0, std::min(rest.find_first_not_of("0123456789"), rest.size())));
  if (one && two && *one > 12 && *two <= 12) day_first_ = true;
  if (one && two && *two > 12 && *one <= 12) month_first_ = true;
}

std::expected<std::string, std::string> json_of(std::string_view text, FieldType type, const ValuePlan& plan,
                                                std::string_view order) {
  switch (type) {
    case FieldType::kInteger:
    case FieldType::kNumber:
      return number_of(trim(text), type, plan);
    case FieldType::kBoolean: {
      const auto value = cell_json(text, {CellType::kBoolean, '.', ""});
      if (!value) return std::unexpected(value.error());
      return value->value_or("false");
    }
    case FieldType::kTime:
    case FieldType::kDate: {
      const auto date = read_date(text, order);
      if (!date) return std::unexpected(shown(text) + " is no date");
      const std::string written = format_time(*date);
      return text_json(type == FieldType::kTime ? written : written.substr(0, 10));
    }
    default:
      break;
  }
  std::string value(text);
  if (plan.html && value.find_first_of("<&") != std::string::npos) value = without_html(value);
  if (plan.pieces) value = joined_pieces(value);
  if (plan.tail) value.erase(0, value.rfind('/') + 1);
  return text_json(value);
}

}  // namespace ladder::imports::flat
