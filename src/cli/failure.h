// An error as the program's output: one JSON object on standard output with --json, else a sentence and a hint on standard error.
#pragma once

#include "base/error.h"
#include "cli/console.h"

#include <string>

namespace ladder::cli {

// Shows it and returns the exit code it has.
int report(Console& console, const Error& error);

// {"code":…,"message":…,…}: the value of "error".
std::string error_json(const Error& error);

}  // namespace ladder::cli
