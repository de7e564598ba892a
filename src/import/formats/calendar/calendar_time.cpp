#include "import/formats/calendar/calendar_time.h"

#include "base/text/format.h"
#include "base/time/time.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports::calendar {
namespace {

struct Parsed {
  CivilDate date;
  int hour = 0, minute = 0, second = 0;
  bool is_date = false, is_utc = false;
};

std::optional<int> digits(std::string_view text, std::size_t at, std::size_t count) {
  if (at + count > text.size()) return std::nullopt;
  int value = 0;
  for (std::size_t i = at; i < at + count; ++i) {
    if (text[i] < '0' || text[i] > '9') return std::nullopt;
    value = value * 10 + (text[i] - '0');
  }
  return value;
}

// Parses "20240105", "20240105T100000" and "20240105T100000Z", with or without "-" and ":".
std::optional<Parsed> parse(std::string_view value) {
  std::string text(trim(value));
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  Parsed out;
  const auto year = digits(text, 0, 4), month = digits(text, 4, 2), day = digits(text, 6, 2);
  if (!year || !month || !day || *year == 0 || *month < 1 || *month > 12 || *day < 1 || *day > days_in_month(*year, *month)) {
    return std::nullopt;
  }
  out.date = {*year, *month, *day};
  if (text.size() == 8) {
    out.is_date = true;
    return out;
  }
  const auto hour = digits(text, 9, 2), minute = digits(text, 11, 2), second = digits(text, 13, 2);
  out.is_utc = text.size() == 16 && (text[15] == 'Z' || text[15] == 'z');
  const bool fits = (text[8] == 'T' || text[8] == 't') && (out.is_utc || text.size() == 15);
  if (!fits || !hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return std::nullopt;
  out.hour = *hour;
  out.minute = *minute;
  out.second = std::min(*second, 59);
  return out;
}

std::string date_text(const CivilDate& date) { return format("{:04}-{:02}-{:02}", date.year, date.month, date.day); }

Instant as_utc(const Parsed& parsed) {
  const std::int64_t minutes = std::int64_t{60} * parsed.hour + parsed.minute;
  return (days_of(parsed.date) * 86'400 + minutes * 60 + parsed.second) * kSecond;
}

// "/mozilla.org/20050126_1/Europe/Berlin" ends with an IANA name.
std::string_view last_two_parts(std::string_view name) {
  const std::size_t last = name.rfind('/');
  if (last == std::string_view::npos || last == 0) return {};
  const std::size_t before = name.rfind('/', last - 1);
  return before == std::string_view::npos ? std::string_view() : name.substr(before + 1);
}

}  // namespace

Instant from_local(const TimeZone& zone, Instant local) {
  const Instant before = zone.offset_at(local - kDay) * kSecond, after = zone.offset_at(local + kDay) * kSecond;
  if (zone.offset_at(local - before) * kSecond == before) return local - before;
  if (zone.offset_at(local - after) * kSecond == after) return local - after;
  return local - before;
}

void Zones::define(const Component& vtimezone) {
  const std::string id = vtimezone.text("TZID"), location = vtimezone.text("X-LIC-LOCATION");
  if (!id.empty() && !location.empty()) locations_[id] = location;
}

void Zones::set_default(std::string_view zone_name) { default_ = zone_name; }

void Zones::forget() {
  default_.clear();
  locations_.clear();
  loaded_.clear();
}

const TimeZone* Zones::find(const std::string& name) {
  const auto known = loaded_.find(name);
  if (known != loaded_.end()) return known->second ? &*known->second : nullptr;
  std::optional<TimeZone>& zone = loaded_[name];
  const auto defined = locations_.find(name);
  for (const std::string_view candidate :
       {std::string_view(name), windows_zone(name), last_two_parts(name),
        defined == locations_.end() ? std::string_view() : std::string_view(defined->second)}) {
    if (candidate.empty()) continue;
    if (auto found = TimeZone::load(candidate)) {
      zone = *std::move(found);
      return &*zone;
    }
  }
  return nullptr;
}

CalendarTime Zones::read(const ContentLine& line) { return read(line.value, line.parameter("TZID")); }

CalendarTime Zones::read(std::string_view value, std::string_view zone_name) {
  CalendarTime out;
  const std::optional<Parsed> parsed = parse(value);
  if (!parsed) {
    out.problem = format("\"{}\" is not a valid calendar time", replace_invalid(trim(value).substr(0, 100)));
    return out;
  }
  if (parsed->is_date) {
    out.text = date_text(parsed->date);
    out.is_date = true;
    out.instant = as_utc(*parsed);
    return out;
  }
  if (parsed->is_utc) {
    out.instant = as_utc(*parsed);
    out.text = format_time(*out.instant);
    return out;
  }
  out.local = format("{}T{:02}:{:02}:{:02}", date_text(parsed->date), parsed->hour, parsed->minute, parsed->second);
  out.zone = zone_name.empty() ? default_ : std::string(zone_name);
  if (out.zone.empty()) {
    out.problem = "the time has no time zone, so its UTC time is unknown";
    return out;
  }
  const TimeZone* zone = find(out.zone);
  if (zone == nullptr) {
    out.problem = format("unknown time zone \"{}\"; only the local time was imported", out.zone);
    return out;
  }
  out.zone = zone->name();
  out.instant = from_local(*zone, as_utc(*parsed));
  out.text = format_time(*out.instant);
  return out;
}

CalendarTime Zones::at(Instant instant, std::string_view zone_name) {
  CalendarTime out;
  out.instant = instant;
  out.text = format_time(instant);
  const std::string name = zone_name.empty() ? default_ : std::string(zone_name);
  const TimeZone* zone = name.empty() ? nullptr : find(name);
  if (zone == nullptr) return out;
  out.zone = zone->name();
  out.local = format_local_time(instant + zone->offset_at(instant) * kSecond);
  return out;
}

}  // namespace ladder::imports::calendar
