#include "import/formats/calendar/calendar_time.h"
#include "import/formats/format.h"
#include "import/testing/reading.h"
#include "json/scan/scan.h"

#include <gtest/gtest.h>

namespace ladder::imports {
namespace {

using testing::Collected;
using testing::CollectingSink;
using testing::Files;
using testing::member;
using testing::MemoryTree;

CollectingSink read_files(Files files) { return testing::read_files(calendar_format(), std::move(files)); }

std::string calendar_of(std::string_view inside, std::string_view name = "Home") {
  return format("BEGIN:VCALENDAR\r\nVERSION:2.0\r\nX-WR-CALNAME:{}\r\n{}END:VCALENDAR\r\n", name, inside);
}

std::string event(std::string_view lines, std::string_view uid = "1@x") {
  return format("BEGIN:VEVENT\r\nUID:{}\r\nDTSTAMP:20240101T000000Z\r\n{}END:VEVENT\r\n", uid, lines);
}

Collected first_event(std::string_view lines) { return read_files({{"a.ics", calendar_of(event(lines))}}).of("events").at(0); }
Collected only_event(std::string_view lines) { return only(read_files({{"a.ics", calendar_of(event(lines))}}), "events"); }

TEST(Calendar, AnEventWithEverything) {
  const Collected record = first_event(
      "DTSTART;TZID=Europe/Berlin:20240705T100000\r\nDTEND;TZID=Europe/Berlin:20240705T113000\r\n"
      "SUMMARY:Lunch\\, with \\\"J\xC3\xB6r\r\n g\\\" and\r\n\t "
      "more\r\nDESCRIPTION:line\\nnext\\;\\\\end\r\nLOCATION:Caf\xC3\r\n \xA9\r\n"
      "RRULE:FREQ=WEEKLY;BYDAY=MO,FR;COUNT=10\r\nEXDATE;TZID=Europe/Berlin:20240712T100000,20240719T100000\r\n"
      "ORGANIZER;CN=\"Lee, Ann: boss\":MAILTO:Ann@Example.org\r\n"
      "ATTENDEE;CN=Bob;PARTSTAT=ACCEPTED;ROLE=REQ-PARTICIPANT:mailto:bob@example.org\r\nATTENDEE:mailto:c@example.org\r\n"
      "CATEGORIES:Work,Fun\\, really\r\nSTATUS:CONFIRMED\r\nURL:https://example.org/e\r\nATTACH:https://example.org/f.pdf\r\n"
      "LAST-MODIFIED:20240102T030405Z\r\nBEGIN:VALARM\r\nTRIGGER:-PT15M\r\nDESCRIPTION:not mine\r\nEND:VALARM\r\n");
  EXPECT_EQ(member(record, "calendar"), "Home");
  EXPECT_EQ(member(record, "start"), "2024-07-05T08:00:00.000Z");
  EXPECT_EQ(member(record, "start_local"), "2024-07-05T10:00:00");
  EXPECT_EQ(member(record, "start_zone"), "Europe/Berlin");
  EXPECT_EQ(member(record, "end"), "2024-07-05T09:30:00.000Z");
  EXPECT_EQ(member(record, "all_day"), "false");
  EXPECT_EQ(member(record, "title"), "Lunch, with \\\"Jörg\\\" and more");
  EXPECT_EQ(member(record, "description"), "line\nnext;\\end");
  EXPECT_EQ(member(record, "location"), "Café");
  EXPECT_EQ(member(record, "rules"), R"(["FREQ=WEEKLY;BYDAY=MO,FR;COUNT=10"])");
  EXPECT_EQ(member(record, "left_out_dates"), R"json(["20240712T100000 (Europe/Berlin)","20240719T100000 (Europe/Berlin)"])json");
  EXPECT_EQ(member(record, "organizer"), "Lee, Ann: boss <ann@example.org>");
  EXPECT_EQ(
      member(record, "attendees"),
      R"([{"name":"Bob","address":"bob@example.org","status":"accepted","role":"req-participant"},{"address":"c@example.org"}])");
  EXPECT_EQ(member(record, "attendee_names"), "Bob <bob@example.org>, c@example.org");
  EXPECT_EQ(member(record, "categories"), R"(["Work","Fun, really"])");
  EXPECT_EQ(member(record, "reminders"), R"(["-PT15M"])");
  EXPECT_EQ(member(record, "modified_at"), "2024-01-02T03:04:05.000Z");
  EXPECT_EQ(member(record, "problems"), "");
  EXPECT_EQ(record.time, parse_time("2024-07-05T08:00:00Z"));
}

TEST(Calendar, KindsOfTime) {
  EXPECT_EQ(member(only_event("DTSTART:20240705T100000Z\r\n"), "start"), "2024-07-05T10:00:00.000Z");
  const Collected day = only_event("DTSTART;VALUE=DATE:20240705\r\nDTEND;VALUE=DATE:20240707\r\n");
  EXPECT_EQ(member(day, "start") + " " + member(day, "end") + " " + member(day, "all_day"), "2024-07-05 2024-07-07 true");
  const Collected windows = only_event("DTSTART;TZID=\"W. Europe Standard Time\":20240105T100000\r\n");
  EXPECT_EQ(member(windows, "start"), "2024-01-05T09:00:00.000Z");
  EXPECT_EQ(member(windows, "start_zone"), "Europe/Berlin");
  EXPECT_EQ(member(only_event("DTSTART;TZID=/mozilla.org/20050126_1/Asia/Tokyo:20240105T090000\r\n"), "start"),
            "2024-01-05T00:00:00.000Z");
  const Collected custom = only_event("DTSTART;TZID=My own zone:20240105T090000\r\n");
  EXPECT_EQ(member(custom, "start"), "");
  EXPECT_EQ(member(custom, "start_local"), "2024-01-05T09:00:00");
  EXPECT_EQ(member(custom, "start_zone"), "My own zone");
  EXPECT_NE(member(custom, "problems").find("unknown time zone"), std::string::npos);
  const Collected floating = only_event("DTSTART:20240105T090000\r\n");
  EXPECT_EQ(member(floating, "start") + member(floating, "start_local"), "2024-01-05T09:00:00");
  EXPECT_NE(member(floating, "problems").find("no time zone"), std::string::npos);
  for (const std::string_view absurd : {"2024", "20241305T000000Z", "20240230", "20240105T250000Z", "tomorrow", ""}) {
    const Collected record = only_event(format("DTSTART:{}\r\n", absurd));
    EXPECT_EQ(member(record, "start"), "") << absurd;
    EXPECT_NE(member(record, "problems"), "") << absurd;
  }
}

TEST(Calendar, ZonesDefinedByTheCalendar) {
  const CollectingSink sink = read_files(
      {{"a.ics", calendar_of("X-WR-TIMEZONE:America/New_York\r\nBEGIN:VTIMEZONE\r\nTZID:Own\r\nX-LIC-LOCATION:Europe/Paris\r\n"
                             "BEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n" +
                             event("DTSTART;TZID=Own:20240105T090000\r\n", "1") + event("DTSTART:20240105T090000\r\n", "2"))}});
  ASSERT_EQ(sink.of("events").size(), 2U);
  EXPECT_EQ(member(sink.of("events")[0], "start"), "2024-01-05T08:00:00.000Z");
  EXPECT_EQ(member(sink.of("events")[1], "start"), "2024-01-05T14:00:00.000Z");
}

TEST(Calendar, DaylightSavingTransitions) {
  const TimeZone berlin = *TimeZone::load("Europe/Berlin");
  const auto utc = [&](std::string_view local) { return format_time(calendar::from_local(berlin, *parse_time(local))); };
  EXPECT_EQ(utc("2024-10-27T02:30:00Z"), "2024-10-27T00:30:00.000Z");  // occurs twice: the first one
  EXPECT_EQ(utc("2024-03-31T02:30:00Z"), "2024-03-31T01:30:00.000Z");  // does not exist: the offset before the gap
  EXPECT_EQ(utc("2024-03-31T03:00:00Z"), "2024-03-31T01:00:00.000Z");
  EXPECT_EQ(utc("2024-10-27T03:00:00Z"), "2024-10-27T02:00:00.000Z");
}

TEST(Calendar, EveryWindowsZoneIsKnownHere) {
  for (const std::string_view name :
       {"Pacific Standard Time", "utc", "FLE Standard Time", "Yukon Standard Time", "India Standard Time"}) {
    EXPECT_TRUE(TimeZone::load(calendar::windows_zone(name))) << name;
  }
  EXPECT_EQ(calendar::windows_zone("W. Europe Standard Time"), "Europe/Berlin");
  EXPECT_EQ(calendar::windows_zone("india standard time"), "Asia/Kolkata");  // IANA's name, not ICU's
  EXPECT_EQ(calendar::windows_zone("Mountain Standard Time (Mexico)"), "America/Mazatlan");
  EXPECT_EQ(calendar::windows_zone("tzone://Microsoft/Utc"), "Etc/UTC");
  EXPECT_EQ(calendar::windows_zone("Nowhere Standard Time"), "");
}

TEST(Calendar, IdentityIsUidAndRecurrence) {
  const CollectingSink sink = read_files({{"a.ics", calendar_of(event("SUMMARY:series\r\nRRULE:FREQ=DAILY\r\n") +
                                                                event("SUMMARY:moved\r\nRECURRENCE-ID:20240106T090000Z\r\n")) +
                                                        calendar_of(event("SUMMARY:series\r\n"), "Work")}});
  std::set<std::string> ids;
  for (const Collected& each : sink.of("events")) ids.insert(member(each, "id"));
  EXPECT_EQ(ids.size(), 3U);
  // The export time is not part of the id.
  const auto without_uid = [](std::string_view stamp) {
    return only(read_files({{"a.ics", format("BEGIN:VEVENT\nDTSTAMP:{}\nSUMMARY:x\nEND:VEVENT\n", stamp)}}), "events");
  };
  EXPECT_EQ(without_uid("20240101T000000Z").data, without_uid("20250101T000000Z").data);
}

TEST(Calendar, TheNewestVersionIsKept) {
  const std::string old_one = calendar_of(event("SEQUENCE:1\r\nSUMMARY:old\r\n"));
  const std::string new_one = calendar_of(event("SEQUENCE:2\r\nSUMMARY:new\r\n"));
  for (const auto& [first, second] : {std::pair(old_one, new_one), std::pair(new_one, old_one)}) {
    const CollectingSink sink = read_files({{"a.ics", first}, {"b.ics", second}});
    EXPECT_EQ(member(only(sink, "events"), "title"), "new");
    EXPECT_EQ(sink.skips.size(), 1U);
  }
}

TEST(Calendar, Tasks) {
  const CollectingSink sink = read_files(
      {{"a.ics",
        calendar_of("BEGIN:VTODO\r\nUID:t\r\nSUMMARY:Buy milk\r\nDUE;VALUE=DATE:20240105\r\nPERCENT-COMPLETE:50\r\n"
                    "COMPLETED:20240104T100000Z\r\nSTATUS:COMPLETED\r\nEND:VTODO\r\nBEGIN:VJOURNAL\r\nEND:VJOURNAL\r\n")}});
  const Collected task = only(sink, "tasks");
  EXPECT_EQ(member(task, "due") + " " + member(task, "completed_at"), "2024-01-05 2024-01-04T10:00:00.000Z");
  EXPECT_EQ(member(task, "percent_complete"), "50");
  EXPECT_EQ(sink.skips.size(), 1U);
}

TEST(Calendar, LossesHaveALocation) {
  const std::string good = event("SUMMARY:good\r\n", "good");
  const std::string text = "BEGIN:VCALENDAR\r\nrubbish without a colon\r\nBEGIN:VEVENT\r\nUID:torn\r\nSUMMARY:torn\r\n" + good +
                           event("SUMMARY:odd\r\n\x01\x02\r\n", "odd") + "BEGIN:VEVENT\r\nUID:cut";
  const CollectingSink sink = read_files({{"a.ics", text}});
  EXPECT_EQ(sink.of("events").size(), 2U);
  std::vector<std::int64_t> places;
  for (const Refusal& each : sink.losses) places.push_back(each.place.byte);
  const auto at = [&](std::string_view what) { return static_cast<std::int64_t>(text.find(what)); };
  EXPECT_EQ(places,
            (std::vector<std::int64_t>{at("rubbish"), at("BEGIN:VEVENT"), at("\x01\x02"), at("BEGIN:VEVENT\r\nUID:cut")}));
}

TEST(Calendar, LinesMayEndWithCarriageReturns) {
  std::string text = calendar_of(event("SUMMARY:Lunch\r\nDTSTART:20240705T100000Z\r\n"));
  std::erase(text, '\n');
  const CollectingSink sink = read_files({{"a.ics", text}});
  EXPECT_EQ(member(only(sink, "events"), "title"), "Lunch");
  EXPECT_TRUE(sink.losses.empty());
}

TEST(Calendar, FilesWithoutEntriesAreReported) {
  const CollectingSink sink =
      read_files({{"a.ics", calendar_of("")}, {"b.ics", calendar_of(event("SUMMARY:Lunch\r\n"))}, {"empty.ics", ""}});
  EXPECT_EQ(sink.of("events").size(), 1U);
  ASSERT_EQ(sink.losses.size(), 1U);
  EXPECT_EQ(sink.losses[0].place.file, "a.ics");
}

TEST(Calendar, TruncatedAtAnyByte) {
  const std::string text =
      "\xEF\xBB\xBF" + calendar_of(event("SUMMARY:one\r\n", "1") + event("SUMMARY:two \r\n folded\r\n", "2"));
  const CollectingSink whole = read_files({{"a.ics", text}});
  ASSERT_EQ(whole.records.size(), 2U);
  const std::size_t first_end = text.find("END:VEVENT") + 10;
  for (std::size_t cut = 0; cut < text.size(); ++cut) {
    MemoryTree tree({{"a.ics", text.substr(0, cut)}});
    CollectingSink part;
    ASSERT_TRUE(calendar_format().read(tree, calendar_format().detect(tree, {}).at(0), {}, "", part));
    if (cut < first_end) continue;
    ASSERT_GE(part.records.size(), 1U) << cut;
    EXPECT_EQ(part.records[0].data, whole.records[0].data);
  }
}

TEST(Calendar, ResumesAtTheNextFile) {
  MemoryTree tree({{"a.ics", calendar_of(event("", "a"))}, {"b.ics", calendar_of(event("", "b"))}, {"c.ics", ""}});
  const Unit unit = calendar_format().detect(tree, {}).at(0);
  CollectingSink whole, rest;
  ASSERT_TRUE(calendar_format().read(tree, unit, {}, "", whole));
  ASSERT_EQ(whole.checkpoints.size(), 2U);
  ASSERT_TRUE(calendar_format().read(tree, unit, {}, whole.checkpoints[0].first, rest));
  ASSERT_EQ(rest.records.size(), 1U);
  EXPECT_EQ(rest.records[0].data, whole.records[1].data);
}

}  // namespace
}  // namespace ladder::imports
