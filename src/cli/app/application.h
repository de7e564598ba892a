// The program as a function: words in, exit code out.
#pragma once

#include <string_view>

namespace ladder::cli {

// A password among the words is overwritten once they have been read.
int run(int argc, char** argv, std::string_view version);

}  // namespace ladder::cli
