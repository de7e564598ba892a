// What ladder-extract does, apart from being a program.
#pragma once

#include <string_view>

namespace ladder::imports {

// `version` is Ladder's: whoever started this must be of the same. The exit code.
int run_child(int argc, char** argv, std::string_view version);

}  // namespace ladder::imports
