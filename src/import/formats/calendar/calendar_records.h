// From a VEVENT or VTODO to its record.
#pragma once

#include "import/formats/calendar/calendar_time.h"
#include "import/formats/content_lines.h"
#include "import/formats/versions.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports::calendar {

// UID and RECURRENCE-ID within the calendar of that name; a digest of the whole component when it has no UID.
std::string entry_id(const Component& component, std::string_view calendar_name);

// How new it is among others of the same id; file and byte are the caller's.
Version version_of(const Component& component);

struct EntryRecord {
  std::string data;
  std::optional<Instant> time;  // when it begins, or is due
};
EntryRecord event_record(const Component& component, std::string_view calendar_name, Zones& zones);
EntryRecord task_record(const Component& component, std::string_view calendar_name, Zones& zones);

const char* calendar_declaration();

}  // namespace ladder::imports::calendar
