// The program as a function: takes the arguments and returns the exit code.
#pragma once

#include <string_view>

namespace ladder::cli {

// Overwrites a password in the arguments after parsing them.
int run(int argc, char** argv, std::string_view version);

}  // namespace ladder::cli
