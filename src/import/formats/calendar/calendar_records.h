// Converts a VEVENT or VTODO to its record.
#pragma once

#include "import/formats/calendar/calendar_time.h"
#include "import/formats/content_lines.h"
#include "import/formats/versions.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::calendar {

// Built from UID, RECURRENCE-ID and the calendar's name; a digest of the whole component if it has no UID.
std::string entry_id(const Component& component, std::string_view calendar_name);

// Orders versions with the same id; the caller sets file and byte.
Version version_of(const Component& component);

struct EntryRecord {
  std::string data;
  std::optional<Instant> time;  // start or due time
};
EntryRecord event_record(const Component& component, std::string_view calendar_name, Zones& zones);
EntryRecord task_record(const Component& component, std::string_view calendar_name, Zones& zones);

}  // namespace ladder::imports::calendar
