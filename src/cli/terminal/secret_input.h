// Reads a passphrase or password from standard input.
#pragma once

#include "cli/terminal/console.h"

#include <string>
#include <string_view>

namespace ladder::cli {

// Reads a line, without echo and after the prompt on a terminal.
std::string read_secret(Console& console, std::string_view prompt);

}  // namespace ladder::cli
