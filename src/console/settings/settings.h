// The result of a change of the settings.
#pragma once

#include "base/error/error.h"
#include "console/server_environment.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

// The settings page shows it once.
struct SettingsResult {
  std::optional<Error> fault = {};  // why the change failed
  std::string at = {};              // the section of the page
  std::string new_token = {};       // shown once
  std::optional<std::vector<ServerEnvironment::Finding>> findings = {};
};

}  // namespace ladder::console
