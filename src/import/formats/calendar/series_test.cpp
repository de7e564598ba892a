// Repeated events as records: one for each occurrence.
#include "import/formats/format.h"
#include "import/testing/reading.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using testing::Collected;
using testing::CollectingSink;
using testing::member;

CollectingSink read_events(std::string_view events, std::int64_t year = 2024) {
  Request request;
  request.year = year;
  return testing::read_files(calendar_format(),
                             {{"a.ics", format("BEGIN:VCALENDAR\r\nX-WR-CALNAME:Home\r\n{}END:VCALENDAR\r\n", events)}}, request);
}

std::string event(std::string_view lines, std::string_view uid = "1@x") {
  return format("BEGIN:VEVENT\r\nUID:{}\r\nSUMMARY:Meeting\r\n{}END:VEVENT\r\n", uid, lines);
}

std::string starts(const CollectingSink& sink) {
  std::string all;
  for (const Collected& each : sink.of("events")) all += (all.empty() ? "" : " ") + member(each, "start");
  return all;
}

TEST(Series, EveryOccurrenceIsARecordInItsZone) {
  const CollectingSink sink = read_events(
      event("DTSTART;TZID=Europe/Berlin:20241025T100000\r\nDTEND;TZID=Europe/Berlin:20241025T113000\r\nLOCATION:Room 4\r\n"
            "DESCRIPTION:bring the report\r\nRRULE:FREQ=DAILY;COUNT=4\r\nEXDATE;TZID=Europe/Berlin:20241026T100000\r\n"));
  // Clocks change on 27 October: the meeting stays at 10:00.
  EXPECT_EQ(starts(sink), "2024-10-25T08:00:00.000Z 2024-10-27T09:00:00.000Z 2024-10-28T09:00:00.000Z");
  const auto records = sink.of("events");
  const Collected &first = records.front(), &last = records.back();
  EXPECT_EQ(member(first, "rules"), R"(["FREQ=DAILY;COUNT=4"])");
  EXPECT_EQ(member(first, "series"), member(first, "id"));
  EXPECT_EQ(member(first, "recurrence_id"), "");
  EXPECT_EQ(member(last, "series"), member(first, "id"));
  EXPECT_EQ(member(last, "rules"), "");
  EXPECT_EQ(member(last, "recurrence_id"), "20241028T100000");
  EXPECT_EQ(member(last, "start_local") + " " + member(last, "start_zone"), "2024-10-28T10:00:00 Europe/Berlin");
  EXPECT_EQ(member(last, "end"), "2024-10-28T10:30:00.000Z");
  EXPECT_EQ(member(last, "title") + member(last, "location") + member(last, "description"), "MeetingRoom 4bring the report");
  EXPECT_EQ(last.time, parse_time("2024-10-28T09:00:00Z"));
}

TEST(Series, DaysAndTimesInUtc) {
  EXPECT_EQ(starts(read_events(
                event("DTSTART;VALUE=DATE:20240105\r\nDTEND;VALUE=DATE:20240107\r\nRRULE:FREQ=WEEKLY;UNTIL=20240119\r\n"))),
            "2024-01-05 2024-01-12 2024-01-19");
  EXPECT_EQ(starts(read_events(event("DTSTART:20240105T090000Z\r\nRRULE:FREQ=WEEKLY;UNTIL=20240112T090000Z\r\n"))),
            "2024-01-05T09:00:00.000Z 2024-01-12T09:00:00.000Z");
  // The end is in UTC, the event in a zone: 23:00 UTC is after the last occurrence at midnight.
  EXPECT_EQ(starts(read_events(event("DTSTART;TZID=Asia/Tokyo:20240105T080000\r\nRRULE:FREQ=DAILY;UNTIL=20240105T230000Z\r\n"))),
            "2024-01-04T23:00:00.000Z 2024-01-05T23:00:00.000Z");
  EXPECT_EQ(starts(read_events(event("DTSTART:20240105T090000Z\r\nRDATE:20240301T090000Z,20240201T090000Z\r\n"
                                     "RDATE;VALUE=PERIOD:20240401T090000Z/PT1H\r\n"))),
            "2024-01-05T09:00:00.000Z 2024-02-01T09:00:00.000Z 2024-03-01T09:00:00.000Z 2024-04-01T09:00:00.000Z");
  EXPECT_EQ(starts(read_events(event("DTSTART:20240105T090000Z\r\nRRULE:FREQ=DAILY;COUNT=3\r\nEXDATE;VALUE=DATE:20240106\r\n"))),
            "2024-01-05T09:00:00.000Z 2024-01-07T09:00:00.000Z");
}

TEST(Series, AChangedOccurrenceReplacesTheOriginal) {
  const std::string series = event("DTSTART;TZID=Europe/Berlin:20240105T100000\r\nRRULE:FREQ=DAILY;COUNT=3\r\n");
  const CollectingSink before = read_events(series);
  ASSERT_EQ(before.of("events").size(), 3U);
  const CollectingSink after = read_events(
      series + event("RECURRENCE-ID;TZID=Europe/Berlin:20240106T100000\r\nDTSTART;TZID=Europe/Berlin:20240106T150000\r\n"));
  ASSERT_EQ(after.of("events").size(), 3U);
  std::set<std::string> ids_before, ids_after;
  for (const Collected& each : before.of("events")) ids_before.insert(member(each, "id"));
  for (const Collected& each : after.of("events")) {
    ids_after.insert(member(each, "id"));
    EXPECT_EQ(member(each, "series"), member(before.of("events")[0], "id"));
  }
  EXPECT_EQ(ids_before, ids_after) << "a later import overwrites the record of the occurrence";
  EXPECT_NE(starts(after).find("2024-01-06T14:00:00"), std::string::npos);
  EXPECT_EQ(starts(after).find("2024-01-06T09:00:00"), std::string::npos);
  // It may name its original start in UTC.
  EXPECT_EQ(read_events(series + event("RECURRENCE-ID:20240106T090000Z\r\nDTSTART:20240106T140000Z\r\n")).of("events").size(),
            3U);
}

TEST(Series, TheFirstRecordHasNoTimeIfTheFirstOccurrenceIsLeftOut) {
  const CollectingSink sink =
      read_events(event("DTSTART;TZID=Europe/Berlin:20240105T100000\r\nRRULE:FREQ=DAILY;COUNT=2\r\nEXDATE;TZID=Europe/Berlin:"
                        "20240105T100000\r\n"));
  ASSERT_EQ(sink.of("events").size(), 2U);
  EXPECT_EQ(member(sink.of("events")[0], "start"), "");
  EXPECT_EQ(member(sink.of("events")[0], "start_local"), "2024-01-05T10:00:00");
  EXPECT_EQ(member(sink.of("events")[1], "start"), "2024-01-06T09:00:00.000Z");
}

TEST(Series, OnlyTheYearsAroundTheImportAreExpanded) {
  const std::string birthday = event("DTSTART;VALUE=DATE:16040501\r\nRRULE:FREQ=YEARLY\r\n");
  EXPECT_EQ(starts(read_events(birthday)).substr(0, 21), "1604-05-01 2014-05-01");
  EXPECT_EQ(read_events(birthday).of("events").size(), 14U);  // 2014 to 2026, and the first one
  // A later import continues the series: the other records stay as they are.
  const auto earlier = testing::lines_of(read_events(birthday)), later = testing::lines_of(read_events(birthday, 2025));
  EXPECT_EQ(later.size(), 14U);
  std::vector<std::string> both;
  std::ranges::set_intersection(earlier, later, std::back_inserter(both));
  EXPECT_EQ(both.size(), 13U);
}

TEST(Series, LimitsAndUnreadableRulesAreReported) {
  const CollectingSink hourly = read_events(event("DTSTART:20240105T090000Z\r\nRRULE:FREQ=HOURLY\r\n"));
  EXPECT_NE(member(only(hourly, "events"), "problems").find("FREQ=HOURLY"), std::string::npos);
  EXPECT_EQ(hourly.losses.size(), 1U);
  const CollectingSink many = read_events(event("DTSTART:20140105T090000Z\r\nRRULE:FREQ=DAILY;BYHOUR=8,9,10\r\n"));
  EXPECT_EQ(many.of("events").size(), 5000U);
  EXPECT_EQ(many.losses.size(), 1U);
  EXPECT_EQ(read_events(event("DTSTART:20240105T090000\r\nRRULE:FREQ=DAILY\r\n")).of("events").size(), 1U) << "no zone";
}

}  // namespace
}  // namespace ladder::imports
