#include "import/formats/calendar/recurrence.h"

#include "base/text/format.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder::imports::calendar {
namespace {

constexpr LocalTime kEndless = 100'000 * kDay;

std::vector<LocalTime> times(std::string_view rule, std::string_view start, RecurrenceRange range, std::size_t most = 10'000) {
  std::vector<LocalTime> out;
  const auto parsed = RecurrenceRule::parse(rule);
  EXPECT_TRUE(parsed) << rule;
  if (!parsed) return out;
  EXPECT_TRUE(each_recurrence(*parsed, *parse_field_time(start), range, [&](LocalTime time) {
    out.push_back(time);
    return out.size() < most;
  }));
  return out;
}

// The first dates of a rule, as "1997-09-02 1997-09-04".
std::string dates(std::string_view rule, std::string_view start, std::size_t most) {
  std::string out;
  for (const LocalTime time : times(rule, start, {-kEndless, kEndless}, most)) {
    const CivilDate date = civil_date(floor_div(time, kDay));
    out += format("{}{}-{:02}-{:02}", out.empty() ? "" : " ", date.year, date.month, date.day);
  }
  return out;
}

TEST(Recurrence, DaysOfWeeks) {
  EXPECT_EQ(dates("FREQ=DAILY;COUNT=3", "1997-09-02T09:00:00", 9), "1997-09-02 1997-09-03 1997-09-04");
  EXPECT_EQ(dates("FREQ=DAILY;INTERVAL=10;COUNT=3", "1997-09-02T09:00:00", 9), "1997-09-02 1997-09-12 1997-09-22");
  EXPECT_EQ(dates("FREQ=WEEKLY;INTERVAL=2;COUNT=8;WKST=SU;BYDAY=TU,TH", "1997-09-02T09:00:00", 9),
            "1997-09-02 1997-09-04 1997-09-16 1997-09-18 1997-09-30 1997-10-02 1997-10-14 1997-10-16");
  EXPECT_EQ(dates("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=MO", "1997-08-05T09:00:00", 9),
            "1997-08-05 1997-08-10 1997-08-19 1997-08-24");
  EXPECT_EQ(dates("FREQ=WEEKLY;INTERVAL=2;COUNT=4;BYDAY=TU,SU;WKST=SU", "1997-08-05T09:00:00", 9),
            "1997-08-05 1997-08-17 1997-08-19 1997-08-31");
  EXPECT_EQ(dates("freq=weekly", "1997-09-02T09:00:00", 3), "1997-09-02 1997-09-09 1997-09-16");
}

TEST(Recurrence, DaysOfMonths) {
  EXPECT_EQ(dates("FREQ=MONTHLY;BYDAY=1FR", "1997-09-05T09:00:00", 6),
            "1997-09-05 1997-10-03 1997-11-07 1997-12-05 1998-01-02 1998-02-06");
  EXPECT_EQ(dates("FREQ=MONTHLY;INTERVAL=2;BYDAY=1SU,-1SU", "1997-09-07T09:00:00", 7),
            "1997-09-07 1997-09-28 1997-11-02 1997-11-30 1998-01-04 1998-01-25 1998-03-01");
  EXPECT_EQ(dates("FREQ=MONTHLY;BYDAY=-2MO", "1997-09-22T09:00:00", 6),
            "1997-09-22 1997-10-20 1997-11-17 1997-12-22 1998-01-19 1998-02-16");
  EXPECT_EQ(dates("FREQ=MONTHLY;BYMONTHDAY=-3", "1997-09-28T09:00:00", 6),
            "1997-09-28 1997-10-29 1997-11-28 1997-12-29 1998-01-29 1998-02-26");
  EXPECT_EQ(dates("FREQ=MONTHLY;BYDAY=FR;BYMONTHDAY=13", "1998-02-13T09:00:00", 5),
            "1998-02-13 1998-03-13 1998-11-13 1999-08-13 2000-10-13");
  EXPECT_EQ(dates("FREQ=MONTHLY;BYDAY=TU,WE,TH;BYSETPOS=3", "1997-09-04T09:00:00", 3), "1997-09-04 1997-10-07 1997-11-06");
  EXPECT_EQ(dates("FREQ=MONTHLY;BYDAY=MO,TU,WE,TH,FR;BYSETPOS=-2", "1997-09-29T09:00:00", 7),
            "1997-09-29 1997-10-30 1997-11-27 1997-12-30 1998-01-29 1998-02-26 1998-03-30");
  EXPECT_EQ(dates("FREQ=MONTHLY", "2024-01-31", 4), "2024-01-31 2024-03-31 2024-05-31 2024-07-31") << "short months have none";
}

TEST(Recurrence, DaysOfYears) {
  EXPECT_EQ(dates("FREQ=YEARLY;INTERVAL=3;COUNT=10;BYYEARDAY=1,100,200", "1997-01-01T09:00:00", 20),
            "1997-01-01 1997-04-10 1997-07-19 2000-01-01 2000-04-09 2000-07-18 2003-01-01 2003-04-10 2003-07-19 2006-01-01");
  EXPECT_EQ(dates("FREQ=YEARLY;BYDAY=20MO", "1997-05-19T09:00:00", 3), "1997-05-19 1998-05-18 1999-05-17");
  EXPECT_EQ(dates("FREQ=YEARLY;BYWEEKNO=20;BYDAY=MO", "1997-05-12T09:00:00", 3), "1997-05-12 1998-05-11 1999-05-17");
  EXPECT_EQ(dates("FREQ=YEARLY;INTERVAL=4;BYMONTH=11;BYDAY=TU;BYMONTHDAY=2,3,4,5,6,7,8", "1996-11-05T09:00:00", 3),
            "1996-11-05 2000-11-07 2004-11-02");
  EXPECT_EQ(dates("FREQ=YEARLY;BYMONTH=6,7", "1997-06-10T09:00:00", 4), "1997-06-10 1997-07-10 1998-06-10 1998-07-10");
  EXPECT_EQ(dates("FREQ=YEARLY;BYDAY=-1SU;BYMONTH=3", "2024-03-31", 3), "2024-03-31 2025-03-30 2026-03-29");
  EXPECT_EQ(dates("FREQ=YEARLY", "2024-02-29", 3), "2024-02-29 2028-02-29 2032-02-29");
}

TEST(Recurrence, TimesOfADay) {
  const auto found = times("FREQ=DAILY;BYHOUR=9,16;BYMINUTE=0,30;COUNT=5", "1997-09-02T09:00:00", {-kEndless, kEndless});
  std::string all;
  for (const LocalTime time : found) all += format_local_time(time) + " ";
  EXPECT_EQ(all, "1997-09-02T09:00:00 1997-09-02T09:30:00 1997-09-02T16:00:00 1997-09-02T16:30:00 1997-09-03T09:00:00 ");
}

TEST(Recurrence, AStartOutsideTheRuleCounts) {
  EXPECT_EQ(dates("FREQ=WEEKLY;BYDAY=FR;COUNT=3", "1997-09-02", 9), "1997-09-02 1997-09-05 1997-09-12");
}

// Only the periods of the range are examined, so an endless rule from long ago costs nothing.
TEST(Recurrence, ARangeHasTheSameTimesAsTheWholeRule) {
  for (const std::string_view rule :
       {"FREQ=DAILY;INTERVAL=3", "FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,SU", "FREQ=WEEKLY;BYDAY=MO,SU;WKST=SU",
        "FREQ=MONTHLY;BYMONTHDAY=31", "FREQ=MONTHLY;INTERVAL=5;BYDAY=-1FR", "FREQ=YEARLY",
        "FREQ=YEARLY;INTERVAL=2;BYWEEKNO=1,53;BYDAY=MO", "FREQ=YEARLY;BYDAY=2TU", "FREQ=DAILY;COUNT=5000"}) {
    const std::string_view start = "1988-02-29T23:30:00";
    for (const LocalTime first : {days_of({1988, 3, 1}) * kDay, days_of({1999, 12, 31}) * kDay, days_of({1980, 1, 1}) * kDay}) {
      const RecurrenceRange range{first, first + 900 * kDay};
      std::vector<LocalTime> expected = times(rule, start, {-kEndless, range.last});
      std::erase_if(expected, [&](LocalTime time) { return time < range.first; });
      EXPECT_EQ(times(rule, start, range), expected) << rule;
    }
  }
  EXPECT_EQ(times("FREQ=YEARLY", "1604-05-01", {days_of({2024, 1, 1}) * kDay, days_of({2026, 12, 31}) * kDay}).size(), 3U);
}

TEST(Recurrence, InvalidRulesAreRefused) {
  for (const std::string_view rule :
       {"", "FREQ", "FREQ=OFTEN", "FREQ=HOURLY", "FREQ=DAILY;INTERVAL=0", "FREQ=DAILY;COUNT=x", "FREQ=DAILY;COUNT=0", "BYDAY=MO",
        "FREQ=WEEKLY;BYDAY=XX", "FREQ=WEEKLY;BYDAY=99MO", "FREQ=MONTHLY;BYMONTHDAY=0", "FREQ=MONTHLY;BYMONTHDAY=32",
        "FREQ=YEARLY;BYMONTH=13", "FREQ=YEARLY;RSCALE=CHINESE", "FREQ=MONTHLY;SKIP=FORWARD",
        "FREQ=DAILY;BYHOUR=1,2,3,4,5;BYMINUTE=1,2,3,4,5;BYSECOND=1,2,3,4,5"}) {
    EXPECT_FALSE(RecurrenceRule::parse(rule)) << rule;
  }
}

TEST(Recurrence, RulesThatNeverFitEnd) {
  EXPECT_EQ(times("FREQ=MONTHLY;BYMONTHDAY=30;BYMONTH=2", "2024-02-28", {0, kEndless}).size(), 1U);
  const auto rule = RecurrenceRule::parse("FREQ=YEARLY;COUNT=2;BYMONTHDAY=30;BYMONTH=2");
  ASSERT_TRUE(rule);
  EXPECT_FALSE(each_recurrence(*rule, 0, {0, 3'000'000 * kDay}, [](LocalTime) { return true; }));
}

}  // namespace
}  // namespace ladder::imports::calendar
