// Accepts the parts of a date in any unambiguous order: "5 Jan 2024 10:00", "Jan 5 10:00:00 2024", "2024-01-05T10:00:00Z",
// "Friday, 05-Jan-24 10:00:00 GMT".
#include "import/formats/mail/mail_date.h"

#include "base/text/format.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

namespace ladder::imports::mail {
namespace {

constexpr std::array<std::string_view, 12> kMonths = {"january", "february", "march",     "april",   "may",      "june",
                                                      "july",    "august",   "september", "october", "november", "december"};
constexpr std::array<std::string_view, 7> kWeekdays = {"monday", "tuesday",  "wednesday", "thursday",
                                                       "friday", "saturday", "sunday"};
constexpr int kLongestZoneMinutes = 24 * 60;

// Minutes east of UTC. For names that several countries use, RFC 5322 decides, otherwise common mail programs.
constexpr std::array<std::pair<std::string_view, int>, 35> kZones = {{
    {"gmt", 0},     {"utc", 0},    {"ut", 0},     {"z", 0},      {"wet", 0},    {"est", -300}, {"edt", -240},
    {"cst", -360},  {"cdt", -300}, {"mst", -420}, {"mdt", -360}, {"pst", -480}, {"pdt", -420}, {"akst", -540},
    {"akdt", -480}, {"hst", -600}, {"ast", -240}, {"adt", -180}, {"nst", -210}, {"ndt", -150}, {"bst", 60},
    {"west", 60},   {"cet", 60},   {"met", 60},   {"mez", 60},   {"cest", 120}, {"mest", 120}, {"mesz", 120},
    {"eet", 120},   {"eest", 180}, {"msk", 180},  {"jst", 540},  {"kst", 540},  {"aest", 600}, {"aedt", 660},
}};

bool is_letters(std::string_view word) {
  return !word.empty() && std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '_'; });
}

std::optional<int> number(std::string_view word, std::size_t max_digits) {
  if (!is_digits(word) || word.size() > max_digits) return std::nullopt;
  int value = 0;
  std::from_chars(word.data(), word.data() + word.size(), value);
  return value;
}

// Matches a prefix of three letters or more against the names and returns the index.
template <std::size_t N>
std::optional<int> place_among(const std::array<std::string_view, N>& names, std::string_view word) {
  if (word.ends_with('.')) word.remove_suffix(1);
  if (word.size() < 3) return std::nullopt;
  for (std::size_t i = 0; i < N; ++i) {
    if (names[i].starts_with(word) || (word == "sept" && names[i] == "september")) return static_cast<int>(i);
  }
  return std::nullopt;
}

// Removes comments, and converts commas to blanks and letters to lower case.
std::string without_comments(std::string_view text) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == '(') ++depth;
    else if (c == ')') depth = std::max(0, depth - 1);
    else if (depth == 0) out += c == ',' || c == '\t' || c == '"' ? ' ' : c;
  }
  return lower_ascii(out);
}

class DateWords {
 public:
  bool take(std::string_view word) {
    if (take_clock(word) || take_zone(word)) return true;
    if (const auto month = place_among(kMonths, word)) return set(month_, *month + 1);
    if (place_among(kWeekdays, word) && !weekday_) return weekday_ = true;
    if (take_whole_date(word)) return true;
    if (const auto digits = number(word, 4)) return word.size() <= 2 && !day_ ? set(day_, *digits) : set_year(word);
    if (has_offset_) return true;  // the name of a zone whose offset is already known
    if (hour_ && !has_zone_ && is_letters(word)) {
      unknown_zone_ = word;
      return has_zone_ = true;
    }
    return false;
  }

  std::optional<MailDate> date() const {
    if (!day_ || !month_ || !year_ || !hour_) return std::nullopt;
    int hour = *hour_;
    if (half_ && (hour < 1 || hour > 12)) return std::nullopt;
    if (half_) hour = hour % 12 + (*half_ == 'p' ? 12 : 0);
    const auto time = parse_time(format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", *year_, *month_, *day_, hour, minute_,
                                        std::min(second_, 59)));  // a leap second becomes the second before it
    if (!time) return std::nullopt;
    return MailDate{*time - static_cast<Instant>(zone_) * 60 * kSecond, unknown_zone_};
  }

 private:
  static bool set(std::optional<int>& member, int value) {
    if (member) return false;
    member = value;
    return true;
  }

  // Two digits mean 1950 to 2049, three are counted from 1900 (RFC 5322, 4.3).
  bool set_year(std::string_view word) {
    const auto value = number(word, 4);
    if (!value || word.size() < 2) return false;
    if (word.size() == 2) return set(year_, *value < 50 ? 2000 + *value : 1900 + *value);
    return set(year_, word.size() == 3 ? 1900 + *value : *value);
  }

  // "10:00", "10:00:00", "10:00:00.123", "6:09pm"
  bool take_clock(std::string_view word) {
    if (word == "am" || word == "pm" || word == "a.m." || word == "p.m.") {
      if (!hour_ || half_) return false;
      half_ = word.front();
      return true;
    }
    const std::size_t colon = word.find(':');
    if (colon == std::string_view::npos || hour_ || !is_digits(word.substr(0, colon))) return false;
    std::string_view rest = word.substr(colon + 1);
    std::optional<char> half;
    if (rest.ends_with("am") || rest.ends_with("pm")) {
      half = rest[rest.size() - 2];
      rest.remove_suffix(2);
    }
    rest = rest.substr(0, rest.find('.'));
    const std::size_t next = rest.find(':');
    const auto hour = number(word.substr(0, colon), 2), minute = number(rest.substr(0, next), 2);
    const auto second = next == std::string_view::npos ? std::optional(0) : number(rest.substr(next + 1), 2);
    if (!hour || !minute || !second || *hour > 23 || *minute > 59 || *second > 60) return false;
    hour_ = hour;
    minute_ = *minute;
    second_ = *second;
    half_ = half;
    return true;
  }

  // "+0100", "-05:00", "gmt+0100", "est"
  bool take_zone(std::string_view word) {
    if (has_offset_ || !hour_) return false;
    const std::size_t sign = word.find_first_of("+-");
    const std::string_view name = word.substr(0, sign);
    const auto named = std::ranges::find(kZones, name, &std::pair<std::string_view, int>::first);
    if (sign == std::string_view::npos) {
      if (named == kZones.end() || has_zone_) return false;
      zone_ = named->second;
      return has_zone_ = true;
    }
    if (!name.empty() && (named == kZones.end() || named->second != 0)) return false;
    std::string digits(word.substr(sign + 1));
    std::erase(digits, ':');
    if (digits.size() <= 2) digits += "00";
    const auto value = number(digits, 4);
    if (!value || digits.size() < 3) return false;
    const int minutes = *value / 100 * 60 + *value % 100;
    if (*value % 100 > 59 || minutes > kLongestZoneMinutes) return false;
    zone_ = word[sign] == '-' ? -minutes : minutes;
    unknown_zone_.clear();
    return has_zone_ = has_offset_ = true;
  }

  // "05-jan-24", "2024-01-05", "2024/01/05", "2024-01-05t10:00:00+01:00". A month in digits is accepted only if the year comes
  // first; otherwise it could be the day.
  bool take_whole_date(std::string_view word) {
    const std::size_t first = word.find_first_of("-/");
    if (first == std::string_view::npos || day_ || month_ || year_) return false;
    const std::size_t second = word.find(word[first], first + 1);
    if (second == std::string_view::npos) return false;
    const std::string_view a = word.substr(0, first), b = word.substr(first + 1, second - first - 1);
    std::string_view c = word.substr(second + 1);
    if (const auto month = place_among(kMonths, b))
      return number(a, 2) && set(day_, *number(a, 2)) && set(month_, *month + 1) && set_year(c);
    if (a.size() != 4 || !is_digits(a) || !number(b, 2)) return false;
    const std::size_t clock = c.find('t');
    const auto day = number(c.substr(0, clock), 2);
    if (!day || !set_year(a) || !set(month_, *number(b, 2)) || !set(day_, *day)) return false;
    if (clock == std::string_view::npos) return true;
    c.remove_prefix(clock + 1);
    const std::size_t zone = c.find_first_of("z+-");
    if (!take_clock(c.substr(0, zone))) return false;
    return zone == std::string_view::npos || take_zone(c.substr(zone));
  }

  std::optional<int> day_, month_, year_, hour_;
  std::optional<char> half_;  // 'a' or 'p' of AM and PM
  int minute_ = 0, second_ = 0, zone_ = 0;
  bool has_zone_ = false, has_offset_ = false, weekday_ = false;
  std::string unknown_zone_;
};

}  // namespace

std::optional<MailDate> parse_mail_date(std::string_view text) {
  const std::string words = without_comments(text);
  DateWords date;
  for (std::size_t at = words.find_first_not_of(' '); at != std::string::npos;) {
    const std::size_t end = std::min(words.find(' ', at), words.size());
    if (!date.take(std::string_view(words).substr(at, end - at))) return std::nullopt;
    at = words.find_first_not_of(' ', end);
  }
  return date.date();
}

}  // namespace ladder::imports::mail
