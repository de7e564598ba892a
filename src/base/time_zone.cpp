// A TZif file (RFC 8536): a header with six counts, then transition times, the type of each, types (offset, is summer, name),
// names, leap seconds, two kinds of flags; a version 2 file holds all that twice, 32-bit and then 64-bit, and ends with a POSIX
// rule between newlines for the time after the last transition.
#include "base/time_zone.h"

#include "base/civil.h"
#include "base/format.h"
#include "base/posix_zone.h"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <optional>
#include <vector>

namespace ladder {

struct TimeZone::Rules {
  std::vector<std::int64_t> transitions;  // unix seconds, ascending
  std::vector<std::int64_t> offsets;      // in force from that transition on
  std::int64_t first_offset = 0;          // before the first
  std::optional<PosixZone> after;         // after the last
};

namespace {

constexpr std::size_t kHeaderBytes = 44;
constexpr std::uint32_t kMaxTransitions = 20'000;
constexpr std::uint32_t kMaxTypes = 256;
constexpr std::size_t kMaxFileBytes = 512 * 1024;
constexpr std::int64_t kMaxOffset = 26 * 3600;  // RFC 8536 asks for -25 to +26 hours

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

// The block after a header, with times of so many bytes.
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
                missing ? "this machine has no time zones; install the package tzdata, or use UTC"
                        : format("there is no time zone \"{}\"; give one like Europe/Berlin, or UTC", name),
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

}  // namespace ladder
