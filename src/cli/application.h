// The program as a function: words in, exit code out.
#pragma once

#include <string_view>

namespace ladder::cli {

int run(int argc, const char* const* argv, std::string_view version);

}  // namespace ladder::cli
