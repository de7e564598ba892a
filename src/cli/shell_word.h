// Text as one word of a shell command, quoted only where it must be.
#pragma once

#include <string>
#include <string_view>

namespace ladder::cli {

std::string shell_word(std::string_view text);

}  // namespace ladder::cli
