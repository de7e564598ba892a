// Outside text made into valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports {

// How outside bytes were read.
struct ReadText {
  std::string text;     // valid UTF-8
  std::string guessed;  // the encoding, when nobody named it or the bytes are not what was named; "" otherwise
};

// The encoding is, in this order: a byte order mark's (removed); UTF-8 when the bytes are, unless `charset` is one of several
// bytes a letter and fits; the one that `charset` names (charset/encoding.h) when nearly all bytes fit it; a guess
// (charset/guess.h); UTF-8 with U+FFFD for what is not. "us-ascii" names nothing: many programs write it without looking. Line
// ends, NUL and other controls stay.
ReadText read_text(std::string_view bytes, std::string_view charset = {});

// The text alone, with \n for all line ends.
std::string to_utf8(std::string_view bytes, std::string_view charset = {});

// The same for a text that is given away: it stays where it is when nothing has to change.
ReadText into_utf8(std::string bytes, std::string_view charset = {});

// The text alone, without touching line ends.
std::string to_utf8_raw(std::string_view bytes, std::string_view charset = {});

// Invalid sequences become U+FFFD; nothing else changes.
std::string replace_invalid(std::string_view bytes);

std::string_view trim(std::string_view text);  // spaces, tabs, line ends, U+00A0 and U+FEFF at both ends
std::string lower_ascii(std::string_view text);
bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix);

}  // namespace ladder::imports
