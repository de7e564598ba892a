// Parses the command line into a command that is ready to run, or a page to show. Only command_line.cpp depends on
// CLI11.
#pragma once

#include "base/error/error.h"
#include "cli/invocation/command.h"
#include "cli/invocation/settings.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

using Words = std::vector<std::string>;

struct Invocation {
  std::unique_ptr<Command> command;  // null: show `page` and exit
  std::string page;                  // help, or the version
  CommonFlags flags;
};

// Returns kInvalidRequest with a message that says what is wrong and suggests the nearest command.
Result<Invocation> read_command_line(const Words& words, std::string_view version);

// Reports whether --json is among the words, so that parse errors are also shown as JSON.
bool wants_json(const Words& words);

// Reports whether the command uses standard output for a protocol. Pages and errors then go to standard error.
bool reserves_standard_output(const Words& words);

}  // namespace ladder::cli
