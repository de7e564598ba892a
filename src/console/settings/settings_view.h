// The outcome of a change, which the page of settings shows once beside the settings themselves.
#pragma once

#include "base/error/error.h"
#include "console/settings/surroundings.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::console {

struct SettingsResult {
  std::optional<Error> fault = {};  // why it was not done
  std::string at = {};              // the section that it belongs to
  std::string new_token = {};       // shown once
  std::optional<std::vector<Surroundings::Finding>> findings = {};
};

}  // namespace ladder::console
