// The heading of the settings and the links between their pages.
#pragma once

#include "console/parts.h"

#include <cstdint>

namespace ladder::console {

enum class SettingsPage : std::uint8_t { kGeneral, kPhone, kBackups, kNotifications };

html::Writer settings_nav(SettingsPage current);

// A notice at the top of a page after a change.
html::Writer done_notice(std::string_view text);
// The reason why a form was not accepted, next to it.
html::Writer fault_line(std::string_view message);

}  // namespace ladder::console
