// What a command has at hand when it runs.
#pragma once

#include "cli/console.h"
#include "cli/session.h"
#include "cli/settings.h"

namespace ladder::cli {

class Context {
 public:
  Context(Console& console_to_use, const Settings& settings_to_use, std::string_view version_of_program,
          Environment environment_to_use)
      : console(console_to_use),
        settings(settings_to_use),
        version(version_of_program),
        environment(std::move(environment_to_use)) {}

  // The words after `ladder` that repeat the flags which say where the store is, as a shell would read them.
  std::string place_flags() const;

  Console& console;
  const Settings& settings;
  std::string version;      // of Ladder
  Environment environment;  // for what only one command knows; an empty variable counts as none
};

}  // namespace ladder::cli
