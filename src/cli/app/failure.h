// Defines the program's exit codes (docs/cli.md) and maps errors to them.
#pragma once

#include "base/error/error.h"
#include "cli/terminal/console.h"

#include <string>

namespace ladder::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;     // it was tried and did not work, or only in part
inline constexpr int kUsage = 64;     // the command line cannot be understood
inline constexpr int kRefused = 77;   // no valid token, or outside the grant
inline constexpr int kNotSetUp = 78;  // there is no usable store yet

int exit_code(Code code);

// An error as the program's output: one JSON object on standard output with --json, else a sentence and a hint on standard error.

// Shows it and returns the exit code it has.
int report(Console& console, const Error& error);

// {"code":…,"message":…,…}: the value of "error".
std::string error_json(const Error& error);

// A store that a newer Ladder has made or migrated: this program refuses it, and no command of its own mends that, `ladder init`
// least of all.
inline bool is_of_newer_ladder(const Error& error) {
  return error.code == Code::kNotSetUp && error.message.ends_with("upgrade ladder");
}

}  // namespace ladder::cli
