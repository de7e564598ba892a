#include "cli/flags/time_words.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"

namespace ladder::cli {
namespace {

constexpr std::int64_t kMaxUnits = 100'000;  // keeps every product within the range of Instant
constexpr std::size_t kDateChars = 10, kMinuteChars = 16;

Instant unit_of(char letter) {
  constexpr std::int64_t kHoursADay = 24;
  switch (letter) {
    case 'h':
      return kDay / kHoursADay;
    case 'd':
      return kDay;
    case 'w':
      return 7 * kDay;
    case 'y':
      return 365 * kDay;
    default:
      return 0;
  }
}

}  // namespace

std::optional<Instant> parse_span(std::string_view text) {
  if (text.size() < 2 || text.front() < '0' || text.front() > '9') return std::nullopt;
  const Instant unit = unit_of(text.back());
  text.remove_suffix(1);
  const auto count = parse_number(text);
  if (unit == 0 || !count || *count > kMaxUnits) return std::nullopt;
  return *count * unit;
}

Result<Instant> parse_time_word(std::string_view text, std::string_view flag, Direction direction, Instant now) {
  if (const auto instant = parse_time(text)) return *instant;
  if (const auto span = parse_span(text)) {
    const Instant at = direction == Direction::kAhead ? now + *span : now - *span;
    const Instant written = parse_time(format_time(at)).value_or(0);
    if (at >= written && at - written < kSecond / 1000) return at;  // otherwise it is outside the years that can be represented
  }
  return fail(Code::kInvalidRequest,
              format("--{} '{}' is not a time; use 2026-04-01, 2026-04-01T12:00:00Z, or a span such as 12h, 30d, 2w or 1y {}",
                     flag, visible_label(text), direction == Direction::kAhead ? "from now" : "ago"),
              std::string(flag));
}

std::string short_time(Instant instant) {
  const std::string text = format_time(instant);
  return instant % kDay == 0 ? text.substr(0, kDateChars) : text.substr(0, kMinuteChars) + "Z";
}

}  // namespace ladder::cli
