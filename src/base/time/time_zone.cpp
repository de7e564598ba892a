// A TZif file (RFC 8536): a header with six counts, then transition times, the type of each, types (offset, is summer,
// name), names, leap seconds, two kinds of flags. A version 2 file contains all that twice, 32-bit and then 64-bit, and
// ends with a POSIX rule between newlines for the time after the last transition.
#include "base/time/time_zone.h"

#include "base/text/format.h"
#include "base/time/time.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

namespace ladder {

struct TimeZone::Rules {
  std::vector<std::int64_t> transitions;  // unix seconds, ascending
  std::vector<std::int64_t> offsets;      // from that transition on
  std::int64_t first_offset = 0;          // before the first transition
  std::optional<PosixZone> after;         // after the last transition
};

namespace {

constexpr std::size_t kHeaderBytes = 44;
constexpr std::uint32_t kMaxTransitions = 20'000;
constexpr std::uint32_t kMaxTypes = 256;
constexpr std::size_t kMaxFileBytes = 512 * 1024;
constexpr std::int64_t kMaxOffset = 26 * 3600;  // RFC 8536 allows -25 to +26 hours

std::int64_t big_endian(std::string_view bytes) {
  std::uint64_t value = static_cast<signed char>(bytes[0]) < 0 ? ~std::uint64_t{0} : 0;
  for (char c : bytes) value = value << 8 | static_cast<unsigned char>(c);
  return static_cast<std::int64_t>(value);
}

struct Counts {
  std::uint32_t utc_flags, wall_flags, leaps, times, types, name_bytes;
  std::size_t body_bytes(std::size_t time_size) const {
    return times * (time_size + 1) + std::size_t{types} * 6 + name_bytes + leaps * (time_size + 4) + wall_flags + utc_flags;
  }
};

std::optional<Counts> read_counts(std::string_view file) {
  if (file.size() < kHeaderBytes || file.substr(0, 4) != "TZif") return std::nullopt;
  const auto at = [&](std::size_t i) { return static_cast<std::uint32_t>(big_endian(file.substr(20 + i * 4, 4))); };
  const Counts counts{at(0), at(1), at(2), at(3), at(4), at(5)};
  if (counts.times > kMaxTransitions || counts.types == 0 || counts.types > kMaxTypes || counts.name_bytes > kMaxFileBytes ||
      counts.leaps > kMaxTransitions || counts.wall_flags > kMaxTypes || counts.utc_flags > kMaxTypes) {
    return std::nullopt;
  }
  return counts;
}

// The block after a header; `time_size` is the size of a time in bytes.
std::optional<TimeZone::Rules> read_block(std::string_view body, const Counts& counts, std::size_t time_size) {
  if (body.size() < counts.body_bytes(time_size)) return std::nullopt;
  const std::string_view times = body.substr(0, counts.times * time_size);
  const std::string_view which = body.substr(times.size(), counts.times);
  const std::string_view types = body.substr(times.size() + which.size(), std::size_t{counts.types} * 6);
  const auto offset_of = [&](std::size_t type) { return big_endian(types.substr(type * 6, 4)); };
  TimeZone::Rules rules;
  for (std::size_t type = 0; type < counts.types; ++type) {
    if (std::abs(offset_of(type)) > kMaxOffset) return std::nullopt;
  }
  rules.first_offset = offset_of(0);
  for (std::size_t i = 0; i < counts.times; ++i) {
    const auto type = static_cast<unsigned char>(which[i]);
    const std::int64_t time = big_endian(times.substr(i * time_size, time_size));
    if (type >= counts.types || (!rules.transitions.empty() && time <= rules.transitions.back())) return std::nullopt;
    rules.transitions.push_back(time);
    rules.offsets.push_back(offset_of(type));
  }
  return rules;
}

std::optional<TimeZone::Rules> read_rules(std::string_view file) {
  const auto first = read_counts(file);
  if (!first) return std::nullopt;
  if (file[4] == '\0') return read_block(file.substr(kHeaderBytes), *first, 4);
  const std::size_t skip = kHeaderBytes + first->body_bytes(4);
  if (file.size() < skip) return std::nullopt;
  file.remove_prefix(skip);
  const auto second = read_counts(file);
  if (!second) return std::nullopt;
  file.remove_prefix(kHeaderBytes);
  auto rules = read_block(file, *second, 8);
  if (!rules) return std::nullopt;
  file.remove_prefix(second->body_bytes(8));
  if (file.size() < 2 || file.front() != '\n' || file.back() != '\n') return std::nullopt;
  const std::string_view rule = file.substr(1, file.size() - 2);
  if (!rule.empty()) {
    rules->after = PosixZone::parse(rule);
    if (!rules->after) return std::nullopt;
  }
  return rules;
}

bool is_zone_name(std::string_view name) {
  if (name.empty() || name.size() > 64 || name.front() == '/' || name.back() == '/' || name.find("..") != name.npos ||
      name.find("//") != name.npos) {
    return false;
  }
  return std::ranges::all_of(name, [](unsigned char c) {
    return (c >= '0' && c <= '9') || ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '/' || c == '_' || c == '-' || c == '+';
  });
}

std::optional<std::string> read_file(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > kMaxFileBytes)
    return std::nullopt;
  std::FILE* file = std::fopen(path.c_str(), "rb");
  if (!file) return std::nullopt;
  std::string bytes(kMaxFileBytes, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  return bytes;
}

}  // namespace

TimeZone TimeZone::utc() {
  TimeZone zone;
  zone.name_ = "UTC";
  return zone;
}

Result<TimeZone> TimeZone::parse(std::string_view tzif) {
  auto rules = read_rules(tzif);
  if (!rules) return fail(Code::kInvalidRequest, "not a TZif file, or one with impossible contents", "time_zone");
  TimeZone zone;
  zone.rules_ = std::make_shared<const Rules>(*std::move(rules));
  return zone;
}

Result<TimeZone> TimeZone::load(std::string_view name, std::string_view folder) {
  if (name == "UTC") return utc();
  if (!is_zone_name(name)) {
    return fail(Code::kInvalidRequest, format("\"{}\" is not a time zone name; give one like Europe/Berlin, or UTC", name),
                "time_zone");
  }
  const auto bytes = read_file(format("{}/{}", folder, name));
  if (!bytes) {
    std::error_code error;
    const bool missing = !std::filesystem::is_directory(std::string(folder), error);
    return fail(Code::kInvalidRequest,
                missing ? "this machine has no time zone data; install the package tzdata, or use UTC"
                        : format("time zone \"{}\" does not exist; use a name like Europe/Berlin, or UTC", name),
                "time_zone");
  }
  LADDER_TRY(TimeZone zone, parse(*bytes));
  zone.name_ = name;
  return zone;
}

std::int64_t TimeZone::offset_at(Instant instant) const {
  if (!rules_) return 0;
  const std::int64_t seconds = floor_div(instant, kSecond);
  const auto& times = rules_->transitions;
  const auto next = std::ranges::upper_bound(times, seconds);
  if (next == times.end() && rules_->after) return rules_->after->offset_at(seconds);
  if (next == times.begin()) return rules_->first_offset;
  return rules_->offsets[static_cast<std::size_t>(next - times.begin()) - 1];
}

namespace {

constexpr std::int64_t kDaySeconds = 86'400;

// Parses the rule's text from the front.
class RuleReader {
 public:
  explicit RuleReader(std::string_view text) : rest_(text) {}
  bool done() const { return rest_.empty(); }
  char peek() const { return rest_.empty() ? '\0' : rest_.front(); }
  bool take(char c) {
    if (peek() != c) return false;
    rest_.remove_prefix(1);
    return true;
  }

  // An abbreviation: letters, or other characters between < and >.
  bool name() {
    std::size_t n = 0;
    if (take('<')) {
      while (n < rest_.size() && rest_[n] != '>') ++n;
      if (n == 0 || n == rest_.size()) return false;
      rest_.remove_prefix(n + 1);
      return true;
    }
    while (n < rest_.size() && ((rest_[n] | 0x20) >= 'a' && (rest_[n] | 0x20) <= 'z')) ++n;
    rest_.remove_prefix(n);
    return n >= 3;
  }

  std::optional<int> number(int low, int high) {
    int value = 0;
    std::size_t n = 0;
    while (n < rest_.size() && n < 4 && rest_[n] >= '0' && rest_[n] <= '9') value = value * 10 + (rest_[n++] - '0');
    if (n == 0 || value < low || value > high) return std::nullopt;
    rest_.remove_prefix(n);
    return value;
  }

  // [+-]hh[:mm[:ss]] in seconds.
  std::optional<std::int64_t> time() {
    const bool negative = take('-');
    if (!negative) take('+');
    const auto hours = number(0, 167);
    if (!hours) return std::nullopt;
    std::int64_t seconds = *hours * std::int64_t{3600};
    for (std::int64_t unit : {60, 1}) {
      if (!take(':')) break;
      const auto part = number(0, 59);
      if (!part) return std::nullopt;
      seconds += *part * unit;
    }
    return negative ? -seconds : seconds;
  }

  std::optional<PosixZone::Change> change() {
    PosixZone::Change c;
    if (take('M')) {
      const auto month = number(1, 12);
      if (!month || !take('.')) return std::nullopt;
      const auto week = number(1, 5);
      if (!week || !take('.')) return std::nullopt;
      const auto day = number(0, 6);
      if (!day) return std::nullopt;
      c.month = *month;
      c.week = *week;
      c.weekday = *day;
    } else {
      c.form = take('J') ? PosixZone::Day::kJulianWithoutLeap : PosixZone::Day::kDayOfYear;
      const auto day = number(c.form == PosixZone::Day::kJulianWithoutLeap ? 1 : 0, 365);
      if (!day) return std::nullopt;
      c.day = *day;
    }
    if (take('/')) {
      const auto at = time();
      if (!at) return std::nullopt;
      c.seconds = *at;
    }
    return c;
  }

 private:
  std::string_view rest_;
};

std::int64_t day_of_change(const PosixZone::Change& c, std::int64_t year) {
  const std::int64_t new_year = days_of({year, 1, 1});
  switch (c.form) {
    case PosixZone::Day::kDayOfYear:
      return new_year + c.day;
    case PosixZone::Day::kJulianWithoutLeap:
      return new_year + c.day - 1 + (c.day >= 60 && is_leap_year(year) ? 1 : 0);
    case PosixZone::Day::kMonthWeekDay:
      break;
  }
  const std::int64_t first = days_of({year, c.month, 1});
  std::int64_t day = first + (c.weekday - weekday(first) + 7) % 7 + std::int64_t{c.week - 1} * 7;
  if (day >= first + days_in_month(year, c.month)) day -= 7;  // week 5 means the last
  return day;
}

}  // namespace

std::optional<PosixZone> PosixZone::parse(std::string_view text) {
  RuleReader reader(text);
  PosixZone zone;
  if (!reader.name()) return std::nullopt;
  const auto west = reader.time();
  if (!west) return std::nullopt;
  zone.standard_offset = -*west;  // POSIX counts westward
  if (reader.done()) return zone;
  if (!reader.name()) return std::nullopt;
  zone.summer_offset = zone.standard_offset + 3600;
  if (reader.peek() != ',') {
    const auto summer_west = reader.time();
    if (!summer_west) return std::nullopt;
    zone.summer_offset = -*summer_west;
  }
  if (!reader.take(',')) return std::nullopt;
  const auto starts = reader.change();
  if (!starts || !reader.take(',')) return std::nullopt;
  const auto ends = reader.change();
  if (!ends || !reader.done()) return std::nullopt;
  zone.summer_starts = *starts;
  zone.summer_ends = *ends;
  return zone;
}

std::int64_t PosixZone::offset_at(std::int64_t unix_seconds) const {
  if (!summer_offset) return standard_offset;
  const std::int64_t year = civil_date(floor_div(unix_seconds + standard_offset, kDaySeconds)).year;
  const std::int64_t starts = day_of_change(summer_starts, year) * kDaySeconds + summer_starts.seconds - standard_offset;
  const std::int64_t ends = day_of_change(summer_ends, year) * kDaySeconds + summer_ends.seconds - *summer_offset;
  const bool summer = starts < ends ? unix_seconds >= starts && unix_seconds < ends   // the north
                                    : unix_seconds >= starts || unix_seconds < ends;  // the south
  return summer ? *summer_offset : standard_offset;
}

}  // namespace ladder
