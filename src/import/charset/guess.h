// The encoding of bytes that nobody names, or that are not what their label says.
#pragma once

#include "import/charset/encoding.h"

#include <string_view>

namespace ladder::imports::charset {

// Null when the bytes are no text, or nothing can be told; then they are to be read as UTF-8 with what is broken replaced. Looks
// at the first kGuessBytes around the first letter that is not ASCII, and gives the same answer for the same bytes.
const Encoding* guess_encoding(std::string_view bytes);

// UTF-16 without a byte order mark, told by the zero bytes that Western letters, digits, blanks and line ends have in one half;
// null when it is none.
const Encoding* guess_wide(std::string_view bytes);

// The bytes name an encoding of seven bits by its escape sequences: ISO-2022.
bool has_escapes(std::string_view bytes);

}  // namespace ladder::imports::charset
