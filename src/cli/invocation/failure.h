// Defines the program's exit codes (docs/reference/cli.md) and maps errors to them.
#pragma once

#include "base/error/error.h"
#include "cli/terminal/console.h"

#include <string>

namespace ladder::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;     // the command failed or only partly succeeded
inline constexpr int kUsage = 64;     // the command line is invalid
inline constexpr int kRefused = 77;   // no valid token, or not covered by the grant
inline constexpr int kNotSetUp = 78;  // no usable store yet

int exit_code(Code code);

// Prints an error: one JSON object on standard output with --json, else a sentence and a hint on standard error.

// Prints the error and returns its exit code.
int report(Console& console, const Error& error);

// Returns {"code":…,"message":…,…}, the value of "error".
std::string error_json(const Error& error);

// Reports whether a newer Ladder created or migrated the store. This program refuses such a store, and none of its
// commands can fix that.
inline bool is_of_newer_ladder(const Error& error) {
  return error.code == Code::kNotSetUp && error.message.ends_with("upgrade ladder");
}

}  // namespace ladder::cli
