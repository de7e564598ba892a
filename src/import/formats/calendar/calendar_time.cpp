#include "import/formats/calendar/calendar_time.h"

#include "base/text/format.h"
#include "base/time/time.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <utility>

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

// The names of time zones on Windows and in Outlook, and their IANA zones.

namespace {

using Pair = std::pair<std::string_view, std::string_view>;

// In lower case, sorted by the Windows name.
constexpr std::array kZones = {
    Pair{"afghanistan standard time", "Asia/Kabul"},
    Pair{"alaskan standard time", "America/Anchorage"},
    Pair{"aleutian standard time", "America/Adak"},
    Pair{"altai standard time", "Asia/Barnaul"},
    Pair{"arab standard time", "Asia/Riyadh"},
    Pair{"arabian standard time", "Asia/Dubai"},
    Pair{"arabic standard time", "Asia/Baghdad"},
    Pair{"argentina standard time", "America/Argentina/Buenos_Aires"},
    Pair{"astrakhan standard time", "Europe/Astrakhan"},
    Pair{"atlantic standard time", "America/Halifax"},
    Pair{"aus central standard time", "Australia/Darwin"},
    Pair{"aus central w. standard time", "Australia/Eucla"},
    Pair{"aus eastern standard time", "Australia/Sydney"},
    Pair{"azerbaijan standard time", "Asia/Baku"},
    Pair{"azores standard time", "Atlantic/Azores"},
    Pair{"bahia standard time", "America/Bahia"},
    Pair{"bangladesh standard time", "Asia/Dhaka"},
    Pair{"belarus standard time", "Europe/Minsk"},
    Pair{"bougainville standard time", "Pacific/Bougainville"},
    Pair{"canada central standard time", "America/Regina"},
    Pair{"cape verde standard time", "Atlantic/Cape_Verde"},
    Pair{"caucasus standard time", "Asia/Yerevan"},
    Pair{"cen. australia standard time", "Australia/Adelaide"},
    Pair{"central america standard time", "America/Guatemala"},
    Pair{"central asia standard time", "Asia/Almaty"},
    Pair{"central brazilian standard time", "America/Cuiaba"},
    Pair{"central europe standard time", "Europe/Budapest"},
    Pair{"central european standard time", "Europe/Warsaw"},
    Pair{"central pacific standard time", "Pacific/Guadalcanal"},
    Pair{"central standard time", "America/Chicago"},
    Pair{"central standard time (mexico)", "America/Mexico_City"},
    Pair{"chatham islands standard time", "Pacific/Chatham"},
    Pair{"china standard time", "Asia/Shanghai"},
    Pair{"cuba standard time", "America/Havana"},
    Pair{"dateline standard time", "Etc/GMT+12"},
    Pair{"e. africa standard time", "Africa/Nairobi"},
    Pair{"e. australia standard time", "Australia/Brisbane"},
    Pair{"e. europe standard time", "Europe/Chisinau"},
    Pair{"e. south america standard time", "America/Sao_Paulo"},
    Pair{"easter island standard time", "Pacific/Easter"},
    Pair{"eastern standard time", "America/New_York"},
    Pair{"eastern standard time (mexico)", "America/Cancun"},
    Pair{"egypt standard time", "Africa/Cairo"},
    Pair{"ekaterinburg standard time", "Asia/Yekaterinburg"},
    Pair{"fiji standard time", "Pacific/Fiji"},
    Pair{"fle standard time", "Europe/Kyiv"},
    Pair{"georgian standard time", "Asia/Tbilisi"},
    Pair{"gmt standard time", "Europe/London"},
    Pair{"greenland standard time", "America/Nuuk"},
    Pair{"greenwich standard time", "Atlantic/Reykjavik"},
    Pair{"gtb standard time", "Europe/Bucharest"},
    Pair{"haiti standard time", "America/Port-au-Prince"},
    Pair{"hawaiian standard time", "Pacific/Honolulu"},
    Pair{"india standard time", "Asia/Kolkata"},
    Pair{"iran standard time", "Asia/Tehran"},
    Pair{"israel standard time", "Asia/Jerusalem"},
    Pair{"jordan standard time", "Asia/Amman"},
    Pair{"kaliningrad standard time", "Europe/Kaliningrad"},
    Pair{"korea standard time", "Asia/Seoul"},
    Pair{"libya standard time", "Africa/Tripoli"},
    Pair{"line islands standard time", "Pacific/Kiritimati"},
    Pair{"lord howe standard time", "Australia/Lord_Howe"},
    Pair{"magadan standard time", "Asia/Magadan"},
    Pair{"magallanes standard time", "America/Punta_Arenas"},
    Pair{"marquesas standard time", "Pacific/Marquesas"},
    Pair{"mauritius standard time", "Indian/Mauritius"},
    Pair{"middle east standard time", "Asia/Beirut"},
    Pair{"montevideo standard time", "America/Montevideo"},
    Pair{"morocco standard time", "Africa/Casablanca"},
    Pair{"mountain standard time", "America/Denver"},
    Pair{"mountain standard time (mexico)", "America/Mazatlan"},
    Pair{"myanmar standard time", "Asia/Yangon"},
    Pair{"n. central asia standard time", "Asia/Novosibirsk"},
    Pair{"namibia standard time", "Africa/Windhoek"},
    Pair{"nepal standard time", "Asia/Kathmandu"},
    Pair{"new zealand standard time", "Pacific/Auckland"},
    Pair{"newfoundland standard time", "America/St_Johns"},
    Pair{"norfolk standard time", "Pacific/Norfolk"},
    Pair{"north asia east standard time", "Asia/Irkutsk"},
    Pair{"north asia standard time", "Asia/Krasnoyarsk"},
    Pair{"north korea standard time", "Asia/Pyongyang"},
    Pair{"omsk standard time", "Asia/Omsk"},
    Pair{"pacific sa standard time", "America/Santiago"},
    Pair{"pacific standard time", "America/Los_Angeles"},
    Pair{"pacific standard time (mexico)", "America/Tijuana"},
    Pair{"pakistan standard time", "Asia/Karachi"},
    Pair{"paraguay standard time", "America/Asuncion"},
    Pair{"qyzylorda standard time", "Asia/Qyzylorda"},
    Pair{"romance standard time", "Europe/Paris"},
    Pair{"russia time zone 10", "Asia/Srednekolymsk"},
    Pair{"russia time zone 11", "Asia/Kamchatka"},
    Pair{"russia time zone 3", "Europe/Samara"},
    Pair{"russian standard time", "Europe/Moscow"},
    Pair{"sa eastern standard time", "America/Cayenne"},
    Pair{"sa pacific standard time", "America/Bogota"},
    Pair{"sa western standard time", "America/La_Paz"},
    Pair{"saint pierre standard time", "America/Miquelon"},
    Pair{"sakhalin standard time", "Asia/Sakhalin"},
    Pair{"samoa standard time", "Pacific/Apia"},
    Pair{"sao tome standard time", "Africa/Sao_Tome"},
    Pair{"saratov standard time", "Europe/Saratov"},
    Pair{"se asia standard time", "Asia/Bangkok"},
    Pair{"singapore standard time", "Asia/Singapore"},
    Pair{"south africa standard time", "Africa/Johannesburg"},
    Pair{"south sudan standard time", "Africa/Juba"},
    Pair{"sri lanka standard time", "Asia/Colombo"},
    Pair{"sudan standard time", "Africa/Khartoum"},
    Pair{"syria standard time", "Asia/Damascus"},
    Pair{"taipei standard time", "Asia/Taipei"},
    Pair{"tasmania standard time", "Australia/Hobart"},
    Pair{"tocantins standard time", "America/Araguaina"},
    Pair{"tokyo standard time", "Asia/Tokyo"},
    Pair{"tomsk standard time", "Asia/Tomsk"},
    Pair{"tonga standard time", "Pacific/Tongatapu"},
    Pair{"transbaikal standard time", "Asia/Chita"},
    Pair{"turkey standard time", "Europe/Istanbul"},
    Pair{"turks and caicos standard time", "America/Grand_Turk"},
    Pair{"tzone://microsoft/utc", "Etc/UTC"},
    Pair{"ulaanbaatar standard time", "Asia/Ulaanbaatar"},
    Pair{"us eastern standard time", "America/Indiana/Indianapolis"},
    Pair{"us mountain standard time", "America/Phoenix"},
    Pair{"utc", "Etc/UTC"},
    Pair{"utc+12", "Etc/GMT-12"},
    Pair{"utc+13", "Etc/GMT-13"},
    Pair{"utc-02", "Etc/GMT+2"},
    Pair{"utc-08", "Etc/GMT+8"},
    Pair{"utc-09", "Etc/GMT+9"},
    Pair{"utc-11", "Etc/GMT+11"},
    Pair{"venezuela standard time", "America/Caracas"},
    Pair{"vladivostok standard time", "Asia/Vladivostok"},
    Pair{"volgograd standard time", "Europe/Volgograd"},
    Pair{"w. australia standard time", "Australia/Perth"},
    Pair{"w. central africa standard time", "Africa/Lagos"},
    Pair{"w. europe standard time", "Europe/Berlin"},
    Pair{"w. mongolia standard time", "Asia/Hovd"},
    Pair{"west asia standard time", "Asia/Tashkent"},
    Pair{"west bank standard time", "Asia/Hebron"},
    Pair{"west pacific standard time", "Pacific/Port_Moresby"},
    Pair{"yakutsk standard time", "Asia/Yakutsk"},
    Pair{"yukon standard time", "America/Whitehorse"},
};
static_assert(std::ranges::is_sorted(kZones, {}, &Pair::first));

}  // namespace

std::string_view windows_zone(std::string_view name) {
  const std::string lower = lower_ascii(trim(name));
  const auto found = std::ranges::lower_bound(kZones, std::string_view(lower), {}, &Pair::first);
  return found != kZones.end() && found->first == lower ? found->second : std::string_view();
}

}  // namespace ladder::imports::calendar
