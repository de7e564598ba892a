// Calendars as programs write them: two calendars in one file, all kinds of time zones, repetition, changes, and line
// folds inside characters.
#include "base/text/format.h"
#include "base/time/time.h"
#include "dice.h"
#include "exports.h"
#include "words.h"

#include <array>
#include <fstream>
#include <string>
#include <string_view>

namespace demo {
namespace {

using ladder::format;

constexpr ladder::Instant kBegin = 1'735'689'600 * ladder::kSecond;  // 2025-01-01
constexpr std::size_t kFoldBytes = 60;
constexpr int kDamagedEvery = 100;

// 20250101T000000
std::string stamp(std::int64_t number) {
  std::string text = ladder::format_time(kBegin + number * 5400 * ladder::kSecond).substr(0, 19);
  std::erase_if(text, [](char c) { return c == '-' || c == ':'; });
  return text;
}

// Folds after this many bytes, even inside a character, as old programs do.
std::string folded(std::string_view line) {
  std::string out;
  for (std::size_t at = 0; at < line.size(); at += kFoldBytes) {
    if (at > 0) out += "\r\n ";
    out += line.substr(at, kFoldBytes);
  }
  return out + "\r\n";
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c == ',' || c == ';' || c == '\\') out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out;
}

std::string start_line(Dice& dice, std::int64_t number) {
  const std::string at = stamp(number);
  switch (dice.below(7)) {
    case 0:
      return format("DTSTART:{}Z", at);
    case 1:
      return format("DTSTART;VALUE=DATE:{}", at.substr(0, 8));
    case 2:
      return format("DTSTART;TZID=\"W. Europe Standard Time\":{}", at);
    case 3:
      return format("DTSTART;TZID=/mozilla.org/20050126_1/Asia/Tokyo:{}", at);
    case 4:
      return format("DTSTART;TZID=Our own zone:{}", at);
    case 5:
      return format("DTSTART:{}", at);  // no time zone
    default:
      return format("DTSTART;TZID=America/New_York:{}", at);
  }
}

// `start` replaces the start that the dice choose, if it is not "".
std::string event(Dice& dice, std::int64_t number, std::string_view uid, std::string_view more, std::string_view start = "") {
  const Language& language = dice.pick(kLanguages);
  std::string text = format("BEGIN:VEVENT\r\nUID:{}\r\nDTSTAMP:20260101T000000Z\r\n", uid);
  const std::string chosen = start_line(dice, number);
  text += folded(start.empty() ? chosen : std::string(start));
  text += folded("SUMMARY:" + escaped(format("{}, {} {}", dice.pick(language.who), dice.pick(language.what), dice.pick(kEmoji))));
  text += folded("DESCRIPTION:" + escaped(format("One; two\n{}\\{}", dice.pick(language.does), dice.pick(language.what))));
  text += folded(format("ATTENDEE;CN=\"{}\";PARTSTAT=ACCEPTED:mailto:person{}@example.org", dice.pick(kPeople), dice.below(50)));
  return text.append(more) + "BEGIN:VALARM\r\nTRIGGER:-PT10M\r\nEND:VALARM\r\nEND:VEVENT\r\n";
}

}  // namespace

Expected write_calendar_export(const ExportRequest& request) {
  Dice dice(request.seed);
  const std::filesystem::path folder = request.folder / "Takeout" / "Calendar";
  std::filesystem::create_directories(folder);
  std::ofstream out(folder / "Calendars.ics", std::ios::binary);
  std::ofstream(folder / "Empty.ics", std::ios::binary).flush();
  out << "\xEF\xBB\xBF";
  Expected expected{{"events", 0}, {"tasks", 0}, {"lost", 0}, {"older", 0}};
  for (const std::string_view calendar : {"Home", "Work"}) {
    out << "BEGIN:VCALENDAR\r\nVERSION:2.0\r\nPRODID:-//made up//EN\r\nX-WR-CALNAME:" << calendar
        << "\r\nBEGIN:VTIMEZONE\r\nTZID:Our own zone\r\nBEGIN:STANDARD\r\nDTSTART:19701025T030000\r\nTZOFFSETFROM:+0245\r\n"
           "TZOFFSETTO:+0145\r\nEND:STANDARD\r\nEND:VTIMEZONE\r\n";
    for (std::int64_t number = 0; number < request.count / 2; ++number) {
      const std::string uid = format("{}-{}@example.org", number, request.seed);
      if (request.damaged && number % kDamagedEvery == kDamagedEvery / 2) {
        out << "BEGIN:VEVENT\r\nUID:" << uid << "\r\nSUMMARY:torn\r\n";  // the next BEGIN follows
        ++expected["lost"];
        continue;
      }
      const bool repeats = number % 10 == 0;
      out << event(dice, number, uid,
                   repeats ? "RRULE:FREQ=WEEKLY;BYDAY=MO,FR;COUNT=20\r\nEXDATE:20250113T090000Z\r\nSEQUENCE:2\r\n" : "",
                   repeats ? "DTSTART:20250106T090000Z" : "");
      ++expected["events"];
      if (repeats) {  // changes one occurrence, and adds an older version of the event
        out << event(dice, number, uid, "RECURRENCE-ID:20250110T090000Z\r\n") << event(dice, number, uid, "SEQUENCE:1\r\n");
        expected["events"] += 18;  // of 20 occurrences one is left out, and one is replaced by its own entry
        ++expected["older"];
      }
    }
    out << "BEGIN:VTODO\r\nUID:task\r\nSUMMARY:Count the "
           "apples\r\nDUE;VALUE=DATE:20250401\r\nSTATUS:NEEDS-ACTION\r\nEND:VTODO\r\n"
           "END:VCALENDAR\r\n";
    ++expected["tasks"];
  }
  return expected;
}

}  // namespace demo
