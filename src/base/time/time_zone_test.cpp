#include "base/time/time_zone.h"

#include "base/time/time.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <ctime>
#include <random>

namespace ladder {
namespace {

Instant at(std::string_view text) { return *parse_time(text); }

TEST(Civil, RoundTripsAndKnowsWeekdays) {
  for (std::int64_t day = -800'000; day < 800'000; day += 13) EXPECT_EQ(days_of(civil_date(day)), day);
  EXPECT_EQ(civil_date(0), (CivilDate{1970, 1, 1}));
  EXPECT_EQ(weekday(0), 4);                        // Thursday
  EXPECT_EQ(weekday(days_of({2026, 11, 15})), 0);  // Sunday
  EXPECT_EQ(weekday(days_of({1969, 12, 28})), 0);
  EXPECT_EQ(days_in_month(2024, 2), 29);
  EXPECT_EQ(days_in_month(1900, 2), 28);
}

TEST(TimeZone, KnowsSummerTimePastAndFuture) {
  const TimeZone berlin = *TimeZone::load("Europe/Berlin");
  EXPECT_EQ(berlin.offset_at(at("2026-01-15T00:00:00Z")), 3600);
  EXPECT_EQ(berlin.offset_at(at("2026-03-29T00:59:59Z")), 3600);
  EXPECT_EQ(berlin.offset_at(at("2026-03-29T01:00:00Z")), 7200);
  EXPECT_EQ(berlin.offset_at(at("2090-07-01T00:00:00Z")), 7200);  // from the rule at the end of the file
  EXPECT_EQ(TimeZone::load("Asia/Kolkata")->offset_at(at("2026-01-01T00:00:00Z")), 19'800);
  EXPECT_EQ(TimeZone::utc().offset_at(0), 0);
}

// The C library reads the same files: both must agree at thousands of instants, in zones of every kind.
TEST(TimeZone, AgreesWithTheCLibrary) {
  std::mt19937_64 random(3);
  for (const char* name : {"Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia", "Africa/Casablanca",
                           "Asia/Tehran", "America/Sao_Paulo", "Europe/Dublin", "Antarctica/Troll", "America/St_Johns"}) {
    const auto zone = TimeZone::load(name);
    ASSERT_TRUE(zone) << zone.error().message;
    setenv("TZ", name, 1);
    tzset();
    for (int i = 0; i < 3'000; ++i) {
      const auto seconds = static_cast<std::time_t>(random() % 6'000'000'000) - 1'800'000'000;  // 1912 to 2103
      std::tm local{};
      localtime_r(&seconds, &local);
      ASSERT_EQ(zone->offset_at(seconds * kSecond), local.tm_gmtoff) << name << " " << format_time(seconds * kSecond);
    }
  }
  unsetenv("TZ");
  tzset();
}

TEST(TimeZone, RejectsInvalidZones) {
  for (const char* name :
       {"", "/etc/passwd", "../../etc/passwd", "Europe/../Berlin", "Europe", "Mars/Olympus", "tzdata.zi\n", "Europe/"}) {
    const auto zone = TimeZone::load(name);
    ASSERT_FALSE(zone) << name;
    EXPECT_EQ(zone.error().code, Code::kInvalidRequest);
  }
  EXPECT_NE(TimeZone::load("Europe/Berlin", "/nonexistent").error().message.find("tzdata"), std::string::npos);
}

TEST(TimeZone, RejectsEveryTruncatedFile) {
  std::FILE* file = std::fopen("/usr/share/zoneinfo/Europe/Berlin", "rb");
  ASSERT_NE(file, nullptr);
  std::string bytes(100'000, '\0');
  bytes.resize(std::fread(bytes.data(), 1, bytes.size(), file));
  std::fclose(file);
  ASSERT_TRUE(TimeZone::parse(bytes));
  for (std::size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(TimeZone::parse(std::string_view(bytes).substr(0, n))) << n;
}

TEST(PosixZone, ParsesEveryNotation) {
  const auto berlin = PosixZone::parse("CET-1CEST,M3.5.0,M10.5.0/3");
  ASSERT_TRUE(berlin);
  EXPECT_EQ(berlin->standard_offset, 3600);
  EXPECT_EQ(*berlin->summer_offset, 7200);
  EXPECT_TRUE(PosixZone::parse("<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"));
  EXPECT_TRUE(PosixZone::parse("<-02>2<-01>,M3.5.0/-1,M10.5.0/0"));
  EXPECT_TRUE(PosixZone::parse("EST5EDT,J60/2,300/2:30:15"));
  EXPECT_EQ(PosixZone::parse("UTC0")->standard_offset, 0);
  for (const char* bad : {"", "C", "CET", "CET-1CEST", "CET-1CEST,M3.5.0", "CET-1CEST,M13.5.0,M10.5.0",
                          "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,J0,J365", "<CET-1", "CET-1CEST,M3.5.0,M10.5.0x", "CET-200"}) {
    EXPECT_FALSE(PosixZone::parse(bad)) << bad;
  }
}

}  // namespace
}  // namespace ladder
