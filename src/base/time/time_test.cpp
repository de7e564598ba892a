// RFC 3339 parsing and formatting, checked against the C library's calendar.
#include "base/time/time.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <ctime>
#include <limits>
#include <random>
#include <thread>

namespace ladder {
namespace {

using namespace std::chrono_literals;

TEST(ParseTime, Accepts) {
  const struct {
    std::string_view text;
    Instant instant;
  } cases[] = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01", 0},
      {"1970-01-02", kDay},
      {"1969-12-31T23:59:59Z", -kSecond},
      {"2026-04-01T00:00:00Z", 1'775'001'600 * kSecond},
      {"2026-04-01", 1'775'001'600 * kSecond},
      {"2026-04-01t00:00:00z", 1'775'001'600 * kSecond},
      {"2026-04-01 00:00:00Z", 1'775'001'600 * kSecond},
      {"2026-04-01T02:00:00+02:00", 1'775'001'600 * kSecond},
      {"2026-03-31T18:30:00-05:30", 1'775'001'600 * kSecond},
      {"2026-04-01T00:00:00-00:00", 1'775'001'600 * kSecond},
      {"2026-04-01T23:59:00+23:59", 1'775'001'600 * kSecond},
      {"2026-04-01T00:00:00.5Z", 1'775'001'600 * kSecond + 500'000},
      {"2026-04-01T00:00:00.000001Z", 1'775'001'600 * kSecond + 1},
      {"2026-04-01T00:00:00.0000019Z", 1'775'001'600 * kSecond + 1},
      {"2026-04-01T00:00:00.123456789012345678901234567890Z", 1'775'001'600 * kSecond + 123'456},
      {"1969-12-31T23:59:59.75Z", -250'000},
      {"2016-12-31T23:59:60Z", 1'483'228'800 * kSecond},
      {"2016-12-31T23:59:60.25Z", 1'483'228'800 * kSecond + 250'000},
      {"2017-01-01T05:29:60+05:30", 1'483'228'800 * kSecond},
      {"2000-02-29T12:00:00Z", 951'825'600 * kSecond},
      {"2024-02-29", 1'709'164'800 * kSecond},
      {"0000-01-01T00:00:00Z", -62'167'219'200 * kSecond},
      {"0000-02-29", (-62'167'219'200 + 59 * 86'400) * kSecond},
      {"0001-01-01", -62'135'596'800 * kSecond},
      {"9999-12-31T23:59:59.999999Z", 253'402'300'800 * kSecond - 1},
      {"9999-12-31T23:59:59-23:59", 253'402'300'799 * kSecond + (23 * 60 + 59) * 60 * kSecond},
      {"0000-01-01T00:00:00+01:00", -62'167'219'200 * kSecond - 3600 * kSecond},
  };
  for (const auto& [text, instant] : cases) EXPECT_EQ(parse_time(text), instant) << text;
}

TEST(ParseTime, Rejects) {
  const std::string_view cases[] = {
      "",
      " ",
      "2026",
      "2026-04",
      "2026-04-",
      "2026-4-1",
      "26-04-01",
      "02026-04-01",
      "20260401",
      "2026/04/01",
      "-2026-04-01",
      "+2026-04-01",
      "2026-00-01",
      "2026-13-01",
      "2026-04-00",
      "2026-04-31",
      "2026-02-29",
      "1900-02-29",
      "2100-02-29",
      "2026-12-32",
      "2026-04-01T",
      "2026-04-01 ",
      "2026-04-01Z",
      "2026-04-01T00",
      "2026-04-01T00:00",
      "2026-04-01T00:00Z",
      "2026-04-01T00:00:00",
      "2026-04-01T24:00:00Z",
      "2026-04-01T23:60:00Z",
      "2026-04-01T23:59:61Z",
      "2026-04-01T0:00:00Z",
      "2026-04-01T00:00:0Z",
      "2026-04-01T00:00:00.Z",
      "2026-04-01T00:00:00.",
      "2026-04-01T00:00:00.5",
      "2026-04-01T00:00:00,5Z",
      "2026-04-01T00:00:00.5.5Z",
      "2026-04-01T00:00:00+",
      "2026-04-01T00:00:00+02",
      "2026-04-01T00:00:00+0200",
      "2026-04-01T00:00:00+24:00",
      "2026-04-01T00:00:00+02:60",
      "2026-04-01T00:00:00+2:00",
      "2026-04-01T00:00:00 +02:00",
      "2026-04-01T00:00:00+02:00Z",
      "2026-04-01T00:00:00ZZ",
      "2026-04-01T00:00:00Z ",
      " 2026-04-01T00:00:00Z",
      "2026-04-01T00:00:00Z\n",
      "2026-04-01_00:00:00Z",
      "2026-04-01T-1:00:00Z",
      "2026-04-01T 1:00:00Z",
      "2026-W14-3",
      "2026-091",
      "1775001600",
      "now",
      "null",
      "Wed, 01 Apr 2026 00:00:00 GMT",
      "\xD9\xA2\xD9\xA0-04-01",
      "999999999999999999999-01-01",
      "2026-04-01T00:00:00\xE2\x88\x92"
      "02:00",
  };
  for (const std::string_view text : cases) EXPECT_EQ(parse_time(text), std::nullopt) << text;
  EXPECT_EQ(parse_time(std::string_view("2026-04-01\0", 11)), std::nullopt);
  EXPECT_EQ(parse_time(std::string(1 << 20, '9')), std::nullopt);
}

TEST(ParseTime, RejectsEveryPrefixExceptTheDate) {
  const std::string_view text = "2026-04-01T12:34:56.789+01:30";
  for (std::size_t size = 0; size < text.size(); ++size) {
    EXPECT_EQ(parse_time(text.substr(0, size)).has_value(), size == 10) << text.substr(0, size);
  }
  EXPECT_TRUE(parse_time(text).has_value());
}

TEST(FormatTime, Known) {
  EXPECT_EQ(format_time(0), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(-1), "1969-12-31T23:59:59.999Z") << "cut off downwards, also before 1970";
  EXPECT_EQ(format_time(999), "1970-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(1000), "1970-01-01T00:00:00.001Z");
  EXPECT_EQ(format_time(1'775'001'600 * kSecond + 123'456), "2026-04-01T00:00:00.123Z");
  EXPECT_EQ(format_time(*parse_time("0000-02-29T01:02:03.004Z")), "0000-02-29T01:02:03.004Z");
  EXPECT_EQ(format_time(*parse_time("9999-12-31T23:59:59.999999Z")), "9999-12-31T23:59:59.999Z");
}

TEST(FormatTime, StaysInFourDigitYears) {
  EXPECT_EQ(format_time(*parse_time("9999-12-31T23:59:59-23:59")), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(format_time(*parse_time("0000-01-01T00:00:00+01:00")), "0000-01-01T00:00:00.000Z");
  EXPECT_EQ(format_time(std::numeric_limits<Instant>::max()), "9999-12-31T23:59:59.999Z");
  EXPECT_EQ(format_time(std::numeric_limits<Instant>::min()), "0000-01-01T00:00:00.000Z");
}

TEST(FormatTime, EveryDayOfTenThousandYearsAgreesWithTheCalendar) {
  std::int64_t day = *parse_time("0000-01-01") / kDay;
  for (int year = 0; year <= 9999; ++year) {
    const bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
    for (int month = 1; month <= 12; ++month) {
      const int days = month == 2 ? (leap ? 29 : 28) : month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31;
      for (int date = 1; date <= days; ++date, ++day) {
        const std::string text = format("{:04}-{:02}-{:02}", year, month, date);
        ASSERT_EQ(parse_time(text), day * kDay) << text;
        if (date == 1 || date == days) {
          ASSERT_EQ(format_time(day * kDay).substr(0, 10), text);
        }
      }
    }
  }
  EXPECT_EQ(day * kDay, 253'402'300'800 * kSecond);
}

TEST(FormatTime, RandomInstantsAgreeWithTheCLibraryAndRoundTrip) {
  std::mt19937_64 random(3);
  std::uniform_int_distribution<Instant> instants(-62'167'219'200 * kSecond, 253'402'300'800 * kSecond - 1);
  for (int i = 0; i < 20'000; ++i) {
    const Instant instant = instants(random);
    const Instant below = ((instant % 1000) + 1000) % 1000;
    const std::string text = format_time(instant);
    ASSERT_EQ(parse_time(text), instant - below) << text;
    const std::time_t seconds = static_cast<std::time_t>((instant - (((instant % kSecond) + kSecond) % kSecond)) / kSecond);
    std::tm calendar{};
    ASSERT_NE(gmtime_r(&seconds, &calendar), nullptr);
    const std::string expected = format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}", calendar.tm_year + 1900, calendar.tm_mon + 1,
                                        calendar.tm_mday, calendar.tm_hour, calendar.tm_min, calendar.tm_sec);
    ASSERT_EQ(text.substr(0, 19), expected);
  }
}

TEST(SystemClock, ReturnsTheCurrentTime) {
  const Instant before = static_cast<Instant>(std::time(nullptr)) * kSecond;
  const Instant now = Clock::system().now();
  EXPECT_GE(now, before - kSecond);
  EXPECT_LE(now, before + 60 * kSecond);
}

TEST(DeadlineTest, NeverPasses) {
  EXPECT_FALSE(Deadline::never().passed());
  EXPECT_EQ(Deadline::never().left(), 24h);
}

TEST(DeadlineTest, PassesAndThenHasNoTimeLeft) {
  const Deadline soon = Deadline::after(5ms);
  EXPECT_LE(soon.left(), 5ms);
  std::this_thread::sleep_for(6ms);
  EXPECT_TRUE(soon.passed());
  EXPECT_EQ(soon.left(), 0ms);
  EXPECT_TRUE(Deadline::after(-1ms).passed());
  EXPECT_EQ(Deadline::after(-1h).left(), 0ms);
  const Deadline later = Deadline::after(1h);
  EXPECT_FALSE(later.passed());
  EXPECT_GT(later.left(), 59min);
}

}  // namespace
}  // namespace ladder
