// The names of time zones on Windows and in Outlook, and their IANA zones, from ICU.
#include "import/formats/calendar/calendar_time.h"
#include "import/text/text.h"

#include <unicode/ures.h>

#include <array>
#include <map>
#include <memory>
#include <utility>

namespace ladder::imports::calendar {
namespace {

// ICU 72 returns names that IANA has replaced, and a zone whose rules no longer fit "Mountain Standard Time (Mexico)".
constexpr auto kReplaced = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"America/Buenos_Aires", "America/Argentina/Buenos_Aires"},
    {"America/Chihuahua", "America/Mazatlan"},
    {"America/Godthab", "America/Nuuk"},
    {"America/Indianapolis", "America/Indiana/Indianapolis"},
    {"Asia/Calcutta", "Asia/Kolkata"},
    {"Asia/Katmandu", "Asia/Kathmandu"},
    {"Asia/Rangoon", "Asia/Yangon"},
    {"Europe/Kiev", "Europe/Kyiv"},
});

using ZoneNames = std::map<std::string, std::string, std::less<>>;  // from Windows names in lower case
using Resource = std::unique_ptr<UResourceBundle, decltype(&ures_close)>;

// Reads ICU's table completely: its own lookup (ucal_getTimeZoneIDForWindowsID) requires the exact case.
ZoneNames read_zone_names() {
  ZoneNames names = {{"tzone://microsoft/utc", "Etc/UTC"}};
  UErrorCode error = U_ZERO_ERROR;
  const Resource bundle(ures_openDirect(nullptr, "windowsZones", &error), ures_close);
  const Resource zones(ures_getByKey(bundle.get(), "mapTimezones", nullptr, &error), ures_close);
  while (U_SUCCESS(error) && ures_hasNext(zones.get()) != 0) {
    const Resource zone(ures_getNextResource(zones.get(), nullptr, &error), ures_close);
    std::int32_t length = 0;
    const UChar* const world = ures_getStringByKey(zone.get(), "001", &length, &error);  // the zone for the whole world
    if (U_FAILURE(error)) break;
    std::string iana(world, world + length);  // ASCII
    for (const auto& [old_name, new_name] : kReplaced) {
      if (iana == old_name) iana = new_name;
    }
    names.emplace(lower_ascii(ures_getKey(zone.get())), std::move(iana));
  }
  return names;
}

}  // namespace

std::string_view windows_zone(std::string_view name) {
  static const ZoneNames names = read_zone_names();
  const auto found = names.find(lower_ascii(trim(name)));
  return found == names.end() ? std::string_view() : std::string_view(found->second);
}

}  // namespace ladder::imports::calendar
