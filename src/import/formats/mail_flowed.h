// format=flowed (RFC 3676): lines that end with a space go on in the next one.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports::mail {

// Text with \n line ends. With `delete_space` the space at the end of a line is not part of the text (DelSp=yes).
std::string unflowed(std::string_view text, bool delete_space);

}  // namespace ladder::imports::mail
