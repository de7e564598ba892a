// Times: a parsed time round-trips to the millisecond, and the calendar is checked day by day.
#include "base/time/time.h"

#include "frame.h"

#include <algorithm>
#include <charconv>

namespace ladder::fuzz {
namespace {

constexpr Instant kMillisecond = kSecond / 1000;
constexpr Instant kYearZero = -62'167'219'200 * kSecond;
constexpr Instant kYearTenThousand = 253'402'300'800 * kSecond;

Instant whole_milliseconds(Instant instant) {
  const Instant rest = instant % kMillisecond;
  return instant - (rest < 0 ? rest + kMillisecond : rest);
}

bool is_writable(Instant instant) { return instant >= kYearZero && instant < kYearTenThousand; }

void check_shape(std::string_view text) {
  constexpr std::string_view kShape = "0000-00-00T00:00:00.000Z";
  FUZZ_CHECK(text.size() == kShape.size());
  for (std::size_t i = 0; i < kShape.size(); ++i) {
    FUZZ_CHECK(kShape[i] == '0' ? text[i] >= '0' && text[i] <= '9' : text[i] == kShape[i]);
  }
}

// Returns the year by counting from the last multiple of 400, independently of the code under test.
std::int64_t year_of(Instant instant) {
  constexpr std::int64_t kDaysOf400Years = 400 * 365 + 97;
  std::int64_t days = (instant - kYearZero) / kDay;
  const std::int64_t first = days / kDaysOf400Years * 400;
  days %= kDaysOf400Years;
  for (std::int64_t year = first;; ++year) {
    const bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    const std::int64_t length = is_leap ? 366 : 365;
    if (days < length) return year;
    days -= length;
  }
}

void check_format(Instant instant) {
  const std::string text = format_time(instant);
  check_shape(text);
  const auto again = parse_time(text);
  FUZZ_CHECK(again.has_value());
  const Instant shown = std::clamp(instant, kYearZero, kYearTenThousand - kMillisecond);
  FUZZ_CHECK(*again == whole_milliseconds(shown));
  std::int64_t year = -1;
  std::from_chars(text.data(), text.data() + 4, year);
  FUZZ_CHECK(year == year_of(shown));
}

// A time that parse_time accepts begins with a date, and another spelling of the same time is the same instant.
void check_parse(std::string_view text) {
  const auto instant = parse_time(text);
  if (!instant) return;
  FUZZ_CHECK(text.size() >= 10 && text[4] == '-' && text[7] == '-');
  FUZZ_CHECK(*instant >= kYearZero - kDay && *instant <= kYearTenThousand + kDay);
  if (is_writable(*instant)) FUZZ_CHECK(parse_time(format_time(*instant)) == whole_milliseconds(*instant));
  if (text.size() == 10) {
    FUZZ_CHECK(parse_time(std::string(text) + "T00:00:00Z") == instant);
    FUZZ_CHECK(*instant % kDay == 0);
    return;
  }
  std::string other(text);
  other[10] = other[10] == 'T' ? ' ' : 'T';
  FUZZ_CHECK(parse_time(other) == instant);
  FUZZ_CHECK(!parse_time(std::string(text) + "0"));
  if (text.back() == 'Z' || text.back() == 'z') {
    const std::string base(text.substr(0, text.size() - 1));
    FUZZ_CHECK(parse_time(base + "+00:00") == instant);
    FUZZ_CHECK(parse_time(base + "-01:30") == *instant + 5400 * kSecond);
  }
}

}  // namespace

void run(std::string_view input) {
  check_parse(input);
  Instant instant = 0;
  for (const char c : input.substr(0, 8)) {
    instant = static_cast<Instant>(static_cast<std::uint64_t>(instant) << 8 | static_cast<std::uint8_t>(c));
  }
  check_format(instant);
  check_format(instant % kYearTenThousand);
}

}  // namespace ladder::fuzz
