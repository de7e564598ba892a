// What a command has at hand when it runs.
#pragma once

#include "cli/console.h"
#include "cli/session.h"
#include "cli/settings.h"

namespace ladder::cli {

class Context {
 public:
  Context(Console& console_to_use, const Settings& settings_to_use, std::string_view version_of_program)
      : console(console_to_use), settings(settings_to_use), version(version_of_program) {}

  // The words after `ladder` that repeat the flags which say where the store is, as a shell would read them.
  std::string place_flags() const;

  Console& console;
  const Settings& settings;
  std::string version;  // of Ladder
};

}  // namespace ladder::cli
