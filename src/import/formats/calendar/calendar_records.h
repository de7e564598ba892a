// Converts a VEVENT or VTODO to its record.
#pragma once

#include "import/formats/calendar/calendar_time.h"
#include "import/formats/calendar/series.h"
#include "import/formats/content_lines.h"
#include "import/formats/versions.h"
#include "json/writer.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::calendar {

// Built from UID, RECURRENCE-ID and the calendar's name; a digest of the whole component if it has no UID.
std::string entry_id(const Component& component, std::string_view calendar_name);
// The id of the series that an event with a rule or a RECURRENCE-ID belongs to; "" for a single event.
std::string series_id(const Component& component, std::string_view calendar_name);

// Orders versions with the same id; the caller sets file and byte.
Version version_of(const Component& component);

// Writes the members of an event without ids: its title, times, rule, place, notes, guests. Returns its start. `series` belongs
// to an event that is repeated.
std::optional<Instant> write_event(json::Writer& writer, const Component& component, Zones& zones,
                                   const Series* series = nullptr);

struct EntryRecord {
  std::string data;
  std::optional<Instant> time;  // start or due time
};
EntryRecord event_record(const Component& component, std::string_view calendar_name, Zones& zones,
                         const Series* series = nullptr);
// The record of a later occurrence has everything that the event has, except its rule.
EntryRecord occurrence_record(const Component& component, std::string_view calendar_name, Zones& zones, const Occurrence& at);
EntryRecord task_record(const Component& component, std::string_view calendar_name, Zones& zones);

}  // namespace ladder::imports::calendar
