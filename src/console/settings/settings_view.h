// What the page of settings shows beside what is kept: the outcome of what was just asked for.
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
