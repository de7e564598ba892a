#include "import/formats/calendar/calendar_records.h"

#include "base/text/format.h"
#include "base/text/number.h"
#include "import/formats/record_members.h"
#include "import/text/text.h"
#include "json/writer.h"

#include <algorithm>
#include <set>

namespace ladder::imports::calendar {
namespace {

constexpr std::size_t kMaxPeople = 5000;

void integer_member(json::Writer& writer, std::string_view name, const Component& component, std::string_view property) {
  if (const auto value = parse_number(trim(component.text(property)))) writer.member(name, *value);
}

// Returns all values of all lines with that name, as written.
std::vector<std::string> values(const Component& component, std::string_view property) {
  std::vector<std::string> out;
  for (const ContentLine& line : component.lines) {
    if (line.name != property) continue;
    const std::string zone(line.parameter("TZID"));
    for (const std::string& each : split_escaped(line.decoded(), ',')) {
      if (!each.empty()) out.push_back(zone.empty() ? each : format("{} ({})", each, zone));
    }
  }
  return out;
}

// Returns one value per line.
std::vector<std::string> whole_values(const Component& component, std::string_view property) {
  std::vector<std::string> out;
  for (const ContentLine& line : component.lines) {
    if (line.name == property) out.emplace_back(trim(line.decoded()));
  }
  return out;
}

std::vector<std::string> texts(const Component& component, std::string_view property) {
  std::vector<std::string> out;
  for (const ContentLine& line : component.lines) {
    if (line.name != property) continue;
    for (std::string& each : line.list(',')) {
      if (!each.empty() && std::ranges::find(out, each) == out.end()) out.push_back(std::move(each));
    }
  }
  return out;
}

std::string_view without_mailto(std::string_view address) {
  constexpr std::string_view kMailto = "mailto:";
  return starts_with_ignoring_case(address, kMailto) ? address.substr(kMailto.size()) : address;
}

struct Person {
  std::string name, address, status, role;
  std::string display() const {
    if (name.empty() || name == address) return address;
    return address.empty() ? name : format("{} <{}>", name, address);
  }
};

Person person_of(const ContentLine& line) {
  const std::string value = line.text();
  Person person{std::string(trim(line.parameter("CN"))), lower_ascii(trim(without_mailto(trim(value)))),
                lower_ascii(line.parameter("PARTSTAT")), lower_ascii(line.parameter("ROLE"))};
  if (!line.parameter("EMAIL").empty()) person.address = lower_ascii(line.parameter("EMAIL"));
  return person;
}

void write_people(json::Writer& writer, const Component& component) {
  if (const ContentLine* organizer = component.find("ORGANIZER"))
    writer.optional_member("organizer", person_of(*organizer).display());
  std::vector<Person> people;
  for (const ContentLine& line : component.lines) {
    if (line.name == "ATTENDEE" && people.size() < kMaxPeople) people.push_back(person_of(line));
  }
  if (people.empty()) return;
  std::string names;
  writer.key("attendees").begin_array();
  for (const Person& each : people) {
    writer.begin_object().optional_member("name", each.name).optional_member("address", each.address);
    writer.optional_member("status", each.status).optional_member("role", each.role).end_object();
    if (!names.empty()) names += ", ";
    names += each.display();
  }
  writer.end_array().optional_member("attendee_names", names);
}

// Writes a time as several members: "start", "start_local", "start_zone".
void write_time(json::Writer& writer, std::string_view name, const CalendarTime& time) {
  writer.optional_member(name, time.text).optional_member(format("{}_local", name), time.local);
  writer.optional_member(format("{}_zone", name), time.zone);
}

CalendarTime write_time(json::Writer& writer, std::string_view name, const Component& component, std::string_view property,
                        Zones& zones, std::set<std::string>& problems) {
  const ContentLine* line = component.find(property);
  if (line == nullptr) return {};
  CalendarTime time = zones.read(*line);
  write_time(writer, name, time);
  if (!time.problem.empty()) problems.insert(time.problem);
  return time;
}

void write_stamp(json::Writer& writer, std::string_view name, const Component& component, std::string_view property,
                 Zones& zones) {
  const ContentLine* line = component.find(property);
  if (line != nullptr) writer.optional_member(name, zones.read(*line).text);
}

std::vector<std::string> reminders(const Component& component) {
  std::vector<std::string> out;
  for (const Component& each : component.inner) {
    if (each.name != "VALARM") continue;
    if (std::string trigger = each.text("TRIGGER"); !trigger.empty()) out.push_back(std::move(trigger));
  }
  return out;
}

// Returns the URLs of attached files; files embedded in the calendar are left out.
std::vector<std::string> attached(const Component& component, std::set<std::string>& problems) {
  std::vector<std::string> out;
  for (const ContentLine& line : component.lines) {
    if (line.name != "ATTACH") continue;
    if (line.has("VALUE", "binary") || line.has("ENCODING", "base64"))
      problems.insert("a file embedded in the entry was not imported");
    else if (std::string value(trim(line.text())); !value.empty()) out.push_back(std::move(value));
  }
  return out;
}

void write_beginning(json::Writer& writer, const Component& component, std::string_view calendar_name, std::string_view id) {
  writer.begin_object().member("id", id);
  if (component.name == "VEVENT") writer.optional_member("series", series_id(component, calendar_name));
  writer.optional_member("uid", component.text("UID")).optional_member("calendar", calendar_name);
}

void write_busy(json::Writer& writer, const Component& component) {
  if (component.text("TRANSP") == "TRANSPARENT") writer.member("busy", false);
}

void write_rules(json::Writer& writer, const Component& component) {
  writer.optional_member("recurrence_id", component.text("RECURRENCE-ID"));
  writer.optional_member("rules", whole_values(component, "RRULE"));
  writer.optional_member("extra_dates", values(component, "RDATE"));
  writer.optional_member("left_out_dates", values(component, "EXDATE"));
}

void write_rest(json::Writer& writer, const Component& component, Zones& zones, std::set<std::string>& problems) {
  writer.optional_member("location", component.text("LOCATION")).optional_member("description", component.text("DESCRIPTION"));
  writer.optional_member("url", component.text("URL")).optional_member("status", lower_ascii(component.text("STATUS")));
  writer.optional_member("visibility", lower_ascii(component.text("CLASS")));
  writer.optional_member("categories", texts(component, "CATEGORIES"));
  write_people(writer, component);
  writer.optional_member("reminders", reminders(component));
  writer.optional_member("attachments", attached(component, problems));
  integer_member(writer, "priority", component, "PRIORITY");
  write_stamp(writer, "created_at", component, "CREATED", zones);
  write_stamp(writer, "modified_at", component, "LAST-MODIFIED", zones);
  writer.optional_member("problems", problems);
}

}  // namespace

std::string entry_id(const Component& component, std::string_view calendar_name) {
  const std::string uid = component.text("UID");
  if (!uid.empty()) return digest_id({component.name, calendar_name, uid, component.text("RECURRENCE-ID")});
  std::string all;
  for (const ContentLine& line : component.lines) {
    if (line.name != "DTSTAMP") all += line.name + ":" + line.value + "\n";  // many programs write the export time there
  }
  return digest_id({component.name, calendar_name, all});
}

Version version_of(const Component& component) {
  Version version;
  version.sequence = parse_number(trim(component.text("SEQUENCE"))).value_or(0);
  if (const ContentLine* line = component.find("LAST-MODIFIED")) version.time = Zones().read(*line).instant.value_or(0);
  return version;
}

std::string series_id(const Component& component, std::string_view calendar_name) {
  const std::string uid = component.text("UID");
  if (!uid.empty() && component.find("RECURRENCE-ID") != nullptr) return digest_id({component.name, calendar_name, uid, ""});
  return is_repeated(component) ? entry_id(component, calendar_name) : std::string();
}

std::optional<Instant> write_event(json::Writer& writer, const Component& component, Zones& zones, const Series* series) {
  std::set<std::string> problems;
  if (series != nullptr && !series->problem.empty()) problems.insert(series->problem);
  writer.optional_member("title", component.text("SUMMARY"));
  CalendarTime start;
  if (series == nullptr || series->start_takes_place) {
    start = write_time(writer, "start", component, "DTSTART", zones, problems);
    write_time(writer, "end", component, "DTEND", zones, problems);
  } else if (const ContentLine* const line = component.find("DTSTART")) {
    const CalendarTime left_out = zones.read(*line);
    start.is_date = left_out.is_date;
    writer.optional_member("start_local", left_out.local.empty() ? left_out.text : left_out.local);
  }
  writer.optional_member("duration", component.text("DURATION")).member("all_day", start.is_date);
  write_busy(writer, component);
  write_rules(writer, component);
  const ContentLine* const original = component.find("RECURRENCE-ID");
  if (original != nullptr && original->has("RANGE", "thisandfuture")) {
    problems.insert("it also changes all later occurrences, which were imported without the change");
  }
  write_rest(writer, component, zones, problems);
  return start.instant;
}

EntryRecord event_record(const Component& component, std::string_view calendar_name, Zones& zones, const Series* series) {
  json::Writer writer;
  write_beginning(writer, component, calendar_name, entry_id(component, calendar_name));
  const auto start = write_event(writer, component, zones, series);
  writer.end_object();
  return {writer.take(), start};
}

EntryRecord occurrence_record(const Component& component, std::string_view calendar_name, Zones& zones, const Occurrence& at) {
  json::Writer writer;
  std::set<std::string> problems;
  const std::string uid = component.text("UID");
  // The same id as that of an entry that replaces the occurrence, so that a change of it is a new version of one record.
  const std::string id = uid.empty() ? digest_id({entry_id(component, calendar_name), at.original})
                                     : digest_id({component.name, calendar_name, uid, at.original});
  write_beginning(writer, component, calendar_name, id);
  writer.optional_member("title", component.text("SUMMARY"));
  write_time(writer, "start", at.start);
  if (at.end) write_time(writer, "end", *at.end);
  writer.optional_member("duration", component.text("DURATION")).member("all_day", at.start.is_date);
  write_busy(writer, component);
  writer.member("recurrence_id", at.original);
  write_rest(writer, component, zones, problems);
  writer.end_object();
  return {writer.take(), at.start.instant};
}

EntryRecord task_record(const Component& component, std::string_view calendar_name, Zones& zones) {
  json::Writer writer;
  std::set<std::string> problems;
  write_beginning(writer, component, calendar_name, entry_id(component, calendar_name));
  writer.optional_member("title", component.text("SUMMARY"));
  const CalendarTime start = write_time(writer, "start", component, "DTSTART", zones, problems);
  const CalendarTime due = write_time(writer, "due", component, "DUE", zones, problems);
  write_stamp(writer, "completed_at", component, "COMPLETED", zones);
  integer_member(writer, "percent_complete", component, "PERCENT-COMPLETE");
  write_rules(writer, component);
  write_rest(writer, component, zones, problems);
  writer.end_object();
  return {writer.take(), due.instant ? due.instant : start.instant};
}

}  // namespace ladder::imports::calendar
