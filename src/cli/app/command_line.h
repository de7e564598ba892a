// Reads the command line (with CLI11, which only command_line.cpp knows) into a command that is ready to run, or a page to show.
#pragma once

#include "base/error/error.h"
#include "cli/app/command.h"
#include "cli/app/settings.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

using Words = std::vector<std::string>;

struct Invocation {
  std::unique_ptr<Command> command;  // null: show `page` and be done
  std::string page;                  // help, or the version
  CommonFlags flags;
};

// kInvalidRequest with a sentence on what is wrong, and the nearest word when a command is mistyped.
Result<Invocation> read_command_line(const Words& words, std::string_view version);

// Says whether --json is among the words: an error in the others is then shown as JSON, too.
bool asks_for_json(const Words& words);

// Says whether the command speaks a protocol on standard output, where nothing else may stand then: pages and errors go to
// standard error.
bool keeps_output_clear(const Words& words);

}  // namespace ladder::cli
