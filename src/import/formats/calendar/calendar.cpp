// Calendars (.ics, RFC 5545): events and tasks of any number of calendars.
//
// Reads all files of a tree together, in two passes: the first finds the newest version of each entry, the second sends it.
// Exports contain the same entry several times (invitations and their updates), but only one version can be the record.
#include "base/text/format.h"
#include "import/formats/calendar/calendar_records.h"
#include "import/formats/format.h"
#include "import/text/text.h"
#include "import/tree/text_file.h"

#include <algorithm>

namespace ladder::imports {
namespace {

using namespace calendar;  // NOLINT(google-build-using-namespace): the parts of this format

constexpr std::string_view kContainer = "VCALENDAR";

bool begins_as_calendar(std::string_view head) { return starts_with_ignoring_case(trim(head), "begin:vcalendar"); }

class CalendarFormat final : public Format {
 public:
  std::string_view name() const override { return "calendar"; }
  std::string_view summary() const override { return "calendars (.ics), events and tasks"; }
  std::vector<Unit> detect(Tree& tree, const Request& request) const override;
  Result<std::string> declaration(const Request&) const override { return std::string(calendar_declaration()); }
  Status read(Tree& tree, const Unit& unit, const Request& request, std::string_view position, Sink& sink) const override;
};

std::vector<Unit> CalendarFormat::detect(Tree& tree, const Request& request) const {
  Unit unit{Confidence::kLikely, "", "", {}};
  const std::vector<Entry>& entries = tree.entries();
  for (EntryNo i = 0; i < entries.size(); ++i) {
    const bool named = entries[i].has_extension(".ics") || entries[i].has_extension(".ical") ||
                       entries[i].has_extension(".ifb") || entries[i].has_extension(".icalendar");
    if (!named && !request.forced) continue;
    unit.entries.push_back(i);
    if (unit.confidence != Confidence::kCertain && begins_as_calendar(text_head(tree, i))) unit.confidence = Confidence::kCertain;
  }
  if (unit.entries.empty()) return {};
  unit.what = unit.entries.size() == 1 ? "a calendar file" : format("{} calendar files", unit.entries.size());
  return {std::move(unit)};
}

bool is_entry(const Component& component) { return component.name == "VEVENT" || component.name == "VTODO"; }

class Reader {
 public:
  Reader(Tree& tree, const Unit& unit, Sink& sink) : tree_(tree), unit_(unit), sink_(sink) {}

  Status read(FilePosition from) {
    for (std::size_t file = 0; file < unit_.entries.size(); ++file) {
      LADDER_CHECK(each_component(file, false, [&](const Component& component, const std::string& calendar_name) -> Status {
        if (!is_entry(component) || !component.finished) return {};
        Version version = version_of(component);
        version.file = file;
        version.byte = component.offset;
        newest_.add(entry_id(component, calendar_name), version);
        return {};
      }));
    }
    for (std::size_t file = from.index; file < unit_.entries.size(); ++file) {
      is_told_ = tree_.entries()[unit_.entries[file]].size == 0;
      LADDER_CHECK(each_component(file, true, [&](const Component& component, const std::string& calendar_name) {
        is_told_ = is_told_ || component.name != "VTIMEZONE";
        return send(file, component, calendar_name);
      }));
      if (!is_told_) LADDER_CHECK(sink_.lost({path(file), -1}, "it contains no readable events or tasks"));
      if (file + 1 < unit_.entries.size()) LADDER_CHECK(sink_.checkpoint(position_text(tree_, unit_, {file + 1, 0})));
    }
    return {};
  }

 private:
  const std::string& path(std::size_t file) const { return tree_.entries()[unit_.entries[file]].path; }

  Status lose(const imports::wire::FileLocation& place, const std::string& reason) {
    is_told_ = true;
    return sink_.lost(place, reason);
  }

  // Calls `use` for every component of the file, with its calendar's name. Unreadable ones are reported in the second pass
  // only.
  template <class Use>
  Status each_component(std::size_t file, bool tell, Use use) {
    const auto opened = open_text(tree_, unit_.entries[file]);
    if (!opened) return tell ? lose({path(file), -1}, opened.error().message) : Status{};
    if (tell) LADDER_CHECK(report_guess(opened->guessed, "events", sink_));
    zones_.forget();
    Components components(*opened->bytes, kContainer, opened->charset);
    std::int64_t reached = 0;
    for (;;) {
      const Result<bool> more = components.next();
      if (!more)
        return tell ? lose({path(file), reached}, format("the rest of the file cannot be read: {}", more.error().message))
                    : Status{};
      if (!*more) return {};
      reached = components.component().offset;
      if (components.component().name == "VTIMEZONE") zones_.define(components.component());
      std::string calendar_name;
      for (const ContentLine& line : components.container()) {
        if (line.name == "X-WR-CALNAME" || (line.name == "NAME" && calendar_name.empty())) calendar_name = trim(line.text());
        if (line.name == "X-WR-TIMEZONE") zones_.set_default(trim(line.text()));
      }
      LADDER_CHECK(use(components.component(), calendar_name));
    }
  }

  Status send(std::size_t file, const Component& component, const std::string& calendar_name) {
    const imports::wire::FileLocation place{path(file), component.offset};
    if (component.name.empty()) return sink_.lost(place, "a line outside any calendar entry");
    if (component.name == "VTIMEZONE") return {};
    if (!is_entry(component)) return sink_.skipped("events", format("{}, not an event or a task", kind(component.name)));
    if (!component.finished) return sink_.lost(place, format("the {} has no end", kind(component.name)));
    if (component.left_out > 0) {
      LADDER_CHECK(sink_.lost({path(file), component.left_out_at},
                              format("{} lines of an entry cannot be read; the rest of it is kept", component.left_out)));
    }
    const bool is_event = component.name == "VEVENT";
    const std::string_view stream = is_event ? "events" : "tasks";
    if (!newest_.is_newest(entry_id(component, calendar_name), file, component.offset)) {
      return sink_.skipped(stream, "an older version of the same entry");
    }
    const EntryRecord record =
        is_event ? event_record(component, calendar_name, zones_) : task_record(component, calendar_name, zones_);
    return sink_.record({stream, record.data, place, record.time});
  }

  static std::string kind(const std::string& name) {
    if (name == "VEVENT") return "event";
    if (name == "VTODO") return "task";
    if (name == "VJOURNAL") return "a journal entry";
    return name == "VFREEBUSY" ? "a list of busy times" : "something else";
  }

  Tree& tree_;
  const Unit& unit_;
  Sink& sink_;
  Zones zones_;
  Newest newest_;
  bool is_told_ = false;  // something was reported for the current file
};

Status CalendarFormat::read(Tree& tree, const Unit& unit, const Request&, std::string_view position, Sink& sink) const {
  return Reader(tree, unit, sink).read(parse_position(tree, unit, position));
}

}  // namespace

const Format& calendar_format() {
  static const CalendarFormat format;
  return format;
}

}  // namespace ladder::imports

// The declaration of the source: events and tasks. A recurring entry is one record with its rule.

namespace ladder::imports::calendar {

const char* calendar_declaration() {
  return R"json({
  "protocol_version": "0.1.0",
  "source": {"kind": "connector", "id": "urn:ladder:import:calendar"},
  "declaration_version": "3",
  "publisher": {"id": "urn:ladder:import"},
  "display": {"name": "Calendars"},
  "streams": [
    {"name": "events", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "start", "consent_time_field": "start",
     "description": "One record per event; a repeated event is one record with its rule, and one for every changed occurrence.",
     "display": {"label": "Your calendar", "detail": "What you plan and planned: titles, times, places, notes, and who is invited."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Made from the calendar's name, the UID and the recurrence id"},
       "uid": {"type": "string", "description": "The entry's own id"},
       "calendar": {"type": "string", "description": "The calendar it is in"},
       "title": {"type": "string", "x_pdpp_role": "primary-title", "description": "What it is"},
       "start": {"type": "string", "format": "date-time", "x_pdpp_role": "event-time", "description": "When it begins: a time in UTC, or a date when it lasts whole days; absent when its zone is not known"},
       "start_local": {"type": "string", "description": "The same as local clocks show it"},
       "start_zone": {"type": "string", "description": "The time zone of the local time"},
       "end": {"type": "string", "format": "date-time", "description": "When it ends: a time in UTC, or a date when it lasts whole days; absent when its zone is not known"},
       "end_local": {"type": "string", "description": "The same as local clocks show it"},
       "end_zone": {"type": "string", "description": "The time zone of the local time"},
       "duration": {"type": "string", "description": "How long it lasts (RFC 5545), when that is written instead of an end"},
       "all_day": {"type": "boolean"},
       "busy": {"type": "boolean", "description": "false: it does not take up time"},
       "recurrence_id": {"type": "string", "description": "Which occurrence of a repeated entry this one replaces"},
       "rules": {"type": "array", "items": {"type": "string"}, "description": "How it repeats (RRULE, RFC 5545), as written"},
       "extra_dates": {"type": "array", "items": {"type": "string"}, "description": "Further occurrences"},
       "left_out_dates": {"type": "array", "items": {"type": "string"}, "description": "Occurrences that do not take place"},
       "location": {"type": "string", "description": "Where"},
       "description": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "What is written about it"},
       "url": {"type": "string", "x_pdpp_type": "url", "x_pdpp_role": "source-url"},
       "status": {"type": "string", "description": "confirmed, tentative, cancelled, needs-action, completed, in-process"},
       "visibility": {"type": "string", "description": "public, private or confidential, as its calendar has it"},
       "categories": {"type": "array", "items": {"type": "string"}},
       "organizer": {"type": "string", "x_pdpp_role": "actor", "description": "Who called for it"},
       "attendees": {"type": "array", "description": "Who is invited, and what they answered", "items": {"type": "object", "properties": {
         "name": {"type": "string"}, "address": {"type": "string"}, "status": {"type": "string"}, "role": {"type": "string"}}}},
       "attendee_names": {"type": "string", "description": "The same as one text"},
       "reminders": {"type": "array", "items": {"type": "string"}, "description": "When to remind (RFC 5545)"},
       "attachments": {"type": "array", "items": {"type": "string"}, "x_pdpp_role": "attachments", "description": "Addresses of attached files"},
       "priority": {"type": "integer"},
       "created_at": {"type": "string", "format": "date-time"},
       "modified_at": {"type": "string", "format": "date-time"},
       "problems": {"type": "array", "items": {"type": "string"}, "description": "What could not be understood of it"}}},
     "views": [{"id": "times", "label": "Only when you are busy", "fields": ["id", "start", "end", "all_day", "busy", "rules", "left_out_dates"]}],
     "query": {"search": {"lexical_fields": ["title", "description", "location", "organizer", "attendee_names"]},
               "range_filters": {"start": ["gte", "gt", "lte", "lt"], "end": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["calendar", "status", "all_day"], "group_by_time": ["start"], "min": ["start"], "max": ["start", "end"]}}},
    {"name": "tasks", "semantics": "mutable_state", "primary_key": ["id"], "cursor_field": "due", "consent_time_field": "due",
     "description": "One record per task of a calendar.",
     "display": {"label": "Your tasks", "detail": "What you have to do and have done, until when, with your notes."},
     "selection": {"fields": true, "resources": true},
     "schema": {"type": "object", "required": ["id"], "properties": {
       "id": {"type": "string", "description": "Made from the calendar's name, the UID and the recurrence id"},
       "uid": {"type": "string", "description": "The entry's own id"},
       "calendar": {"type": "string", "description": "The calendar it is in"},
       "title": {"type": "string", "x_pdpp_role": "primary-title", "description": "What it is"},
       "start": {"type": "string", "format": "date-time", "description": "When it begins: a time in UTC, or a date when it lasts whole days; absent when its zone is not known"},
       "start_local": {"type": "string", "description": "The same as local clocks show it"},
       "start_zone": {"type": "string", "description": "The time zone of the local time"},
       "due": {"type": "string", "format": "date-time", "x_pdpp_role": "event-time", "description": "Until when it is to be done: a time in UTC, or a date when it lasts whole days; absent when its zone is not known"},
       "due_local": {"type": "string", "description": "The same as local clocks show it"},
       "due_zone": {"type": "string", "description": "The time zone of the local time"},
       "completed_at": {"type": "string", "format": "date-time", "description": "When it was done"},
       "percent_complete": {"type": "integer"},
       "recurrence_id": {"type": "string", "description": "Which occurrence of a repeated entry this one replaces"},
       "rules": {"type": "array", "items": {"type": "string"}, "description": "How it repeats (RRULE, RFC 5545), as written"},
       "extra_dates": {"type": "array", "items": {"type": "string"}, "description": "Further occurrences"},
       "left_out_dates": {"type": "array", "items": {"type": "string"}, "description": "Occurrences that do not take place"},
       "location": {"type": "string", "description": "Where"},
       "description": {"type": "string", "x_pdpp_type": "text", "x_pdpp_role": "primary-text", "description": "What is written about it"},
       "url": {"type": "string", "x_pdpp_type": "url", "x_pdpp_role": "source-url"},
       "status": {"type": "string", "description": "confirmed, tentative, cancelled, needs-action, completed, in-process"},
       "visibility": {"type": "string", "description": "public, private or confidential, as its calendar has it"},
       "categories": {"type": "array", "items": {"type": "string"}},
       "organizer": {"type": "string", "x_pdpp_role": "actor", "description": "Who called for it"},
       "attendees": {"type": "array", "description": "Who is invited, and what they answered", "items": {"type": "object", "properties": {
         "name": {"type": "string"}, "address": {"type": "string"}, "status": {"type": "string"}, "role": {"type": "string"}}}},
       "attendee_names": {"type": "string", "description": "The same as one text"},
       "reminders": {"type": "array", "items": {"type": "string"}, "description": "When to remind (RFC 5545)"},
       "attachments": {"type": "array", "items": {"type": "string"}, "x_pdpp_role": "attachments", "description": "Addresses of attached files"},
       "priority": {"type": "integer"},
       "created_at": {"type": "string", "format": "date-time"},
       "modified_at": {"type": "string", "format": "date-time"},
       "problems": {"type": "array", "items": {"type": "string"}, "description": "What could not be understood of it"}}},
     "query": {"search": {"lexical_fields": ["title", "description", "location"]},
               "range_filters": {"due": ["gte", "gt", "lte", "lt"], "completed_at": ["gte", "gt", "lte", "lt"]},
               "aggregations": {"count": true, "group_by": ["calendar", "status"], "group_by_time": ["due", "completed_at"], "min": ["due"], "max": ["due"]}}}
  ]
})json";
}

}  // namespace ladder::imports::calendar
