// Converts foreign text to valid UTF-8.
#pragma once

#include <string>
#include <string_view>

namespace ladder::imports {

// Text and how it was decoded.
struct ReadText {
  std::string text;     // valid UTF-8
  std::string guessed;  // the detected encoding, if none was named or the named one is wrong; "" otherwise
};

// Determines the encoding in this order: a byte order mark (removed); UTF-8 if valid, unless `charset` is a multi-byte encoding
// that fits; `charset` (charset/encoding.h) if nearly all bytes fit it; detection (charset/encoding.h); UTF-8 with U+FFFD for
// invalid bytes. "us-ascii" is ignored, because many programs write it without checking. Line ends, NUL and other control
// characters are kept.
ReadText read_text(std::string_view bytes, std::string_view charset = {});

// Returns only the text, with \n for all line ends.
std::string to_utf8(std::string_view bytes, std::string_view charset = {});

// Takes ownership of the bytes, and returns them without a copy if nothing changes.
ReadText into_utf8(std::string bytes, std::string_view charset = {});

// Returns only the text, with its line ends.
std::string to_utf8_raw(std::string_view bytes, std::string_view charset = {});

// UTF-16 and UTF-32 text with a byte order mark, as Windows Notepad, spreadsheets and old address books write it.
bool is_wide(std::string_view bytes);  // starts with such a mark
std::string from_wide(
    std::string_view bytes);  // without the mark; invalid characters become U+FFFD, an incomplete end is dropped

}  // namespace ladder::imports
