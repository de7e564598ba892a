// Time zones: for any bytes as a TZif file or its closing rule, parsing is bounded and every instant has an offset of
// less than a week, the same on each call.
#include "base/time/time_zone.h"

#include "frame.h"

#include <limits>

namespace ladder::fuzz {
namespace {

constexpr std::int64_t kWeekSeconds = 7 * 86'400;

void check_offsets(const TimeZone& zone, Chance& chance) {
  Instant at = std::numeric_limits<Instant>::min();
  for (int i = 0; i < 64; ++i) {
    const std::int64_t offset = zone.offset_at(at);
    FUZZ_CHECK(offset > -kWeekSeconds && offset < kWeekSeconds);
    FUZZ_CHECK(zone.offset_at(at) == offset);
    at = static_cast<Instant>(chance.below(std::size_t{1} << 62)) * (chance.below(2) == 0 ? 1 : -1);
  }
  FUZZ_CHECK(zone.offset_at(std::numeric_limits<Instant>::max()) < kWeekSeconds);
}

void check_rule(std::string_view text, Chance& chance) {
  const auto rule = PosixZone::parse(text);
  if (!rule) return;
  for (int i = 0; i < 64; ++i) {
    const auto seconds = static_cast<std::int64_t>(chance.below(std::size_t{1} << 40)) - (std::int64_t{1} << 39);
    const std::int64_t offset = rule->offset_at(seconds);
    FUZZ_CHECK(offset == rule->standard_offset || offset == rule->summer_offset);
  }
}

}  // namespace

void run(std::string_view input) {
  Chance chance(input);
  const Exact bytes(input);
  if (const auto zone = TimeZone::parse(bytes.view())) check_offsets(*zone, chance);
  check_rule(bytes.view(), chance);
}

}  // namespace ladder::fuzz
