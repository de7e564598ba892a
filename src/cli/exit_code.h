// What the program's exit codes mean (docs/cli.md), and which one an error has.
#pragma once

#include "base/error.h"

namespace ladder::cli {

inline constexpr int kDone = 0;
inline constexpr int kFailed = 1;     // it was tried and did not work, or only in part
inline constexpr int kUsage = 64;     // the command line cannot be understood
inline constexpr int kRefused = 77;   // no valid token, or outside the grant
inline constexpr int kNotSetUp = 78;  // there is no usable store yet

int exit_code(Code code);

}  // namespace ladder::cli
