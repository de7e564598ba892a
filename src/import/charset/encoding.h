// Character encodings by the labels that mail, web pages and people write, as the WHATWG Encoding Standard reads them: "latin1"
// is Windows-1252, "gb2312" is GB 18030, "ks_c_5601-1987" is Windows-949. Encodings that the standard leaves to browsers'
// discretion (UTF-7, UTF-32, HZ, ISO-2022-KR, DOS code pages) are read as well: no page can run a script here.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports::charset {

enum class Family : std::uint8_t {
  kUtf8,
  kSingleByte,  // a byte is a letter
  kMultiByte,   // ASCII bytes before a letter of several bytes are themselves
  kStateful,    // what a byte means depends on the bytes before it: ISO-2022, HZ, UTF-7
  kWide,        // two or four bytes a letter
};

struct Encoding {
  std::string name;       // the standard's, in lower case
  std::string converter;  // ICU's name
  Family family = Family::kSingleByte;
};

// Case, blanks and quotes around it do not matter. Null when nobody knows the label. The encoding lives as long as the process.
const Encoding* find_encoding(std::string_view label);

struct Decoded {
  std::string text;        // valid UTF-8; U+FFFD stands for what is no letter
  std::size_t errors = 0;  // how often that is so
};

Decoded decode(std::string_view bytes, const Encoding& encoding);

// The encoding of bytes that nobody names, or that are not what their label says.

// Null when the bytes are no text, or nothing can be told; then they are to be read as UTF-8 with what is broken replaced. Looks
// at the first kGuessBytes around the first letter that is not ASCII, and gives the same answer for the same bytes.
const Encoding* guess_encoding(std::string_view bytes);

// UTF-16 without a byte order mark, told by the zero bytes that Western letters, digits, blanks and line ends have in one half;
// null when it is none.
const Encoding* guess_wide(std::string_view bytes);

// The bytes name an encoding of seven bits by its escape sequences: ISO-2022.
bool has_escapes(std::string_view bytes);

}  // namespace ladder::imports::charset
