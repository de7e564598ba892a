// Character encodings by label, as the WHATWG Encoding Standard defines them for mail and web pages: "latin1" is Windows-1252,
// "gb2312" is GB 18030, "ks_c_5601-1987" is Windows-949. Encodings that the standard excludes for security reasons (UTF-7,
// UTF-32, HZ, ISO-2022-KR, DOS code pages) are supported too, because imported pages run no scripts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::imports::charset {

enum class Family : std::uint8_t {
  kUtf8,
  kSingleByte,  // one byte per character
  kMultiByte,   // ASCII bytes stand for themselves, except as part of a multi-byte character
  kStateful,    // bytes depend on the state: ISO-2022, HZ, UTF-7
  kWide,        // two or four bytes per character
};

struct Encoding {
  std::string name;       // the standard's name in lower case
  std::string converter;  // ICU's name
  Family family = Family::kSingleByte;
};

// Ignores case and surrounding blanks and quotes. Returns null for an unknown label. The encoding lives until the process ends.
const Encoding* find_encoding(std::string_view label);

struct Decoded {
  std::string text;        // valid UTF-8; U+FFFD replaces invalid bytes
  std::size_t errors = 0;  // number of replacements
};

Decoded decode(std::string_view bytes, const Encoding& encoding);

// Detects the encoding of bytes without a label, or with a wrong one.
// Returns null if the bytes are not text or the encoding is unclear; the caller then reads them as UTF-8 and replaces invalid
// bytes. Looks at kGuessBytes around the first non-ASCII byte. The result is deterministic.
const Encoding* guess_encoding(std::string_view bytes);

// Detects UTF-16 without a byte order mark by the zero bytes that Western letters, digits, blanks and line ends have in one
// half. Returns null otherwise.
const Encoding* guess_wide(std::string_view bytes);

// Returns true if the bytes contain escape sequences of ISO-2022, a 7-bit encoding.
bool has_escapes(std::string_view bytes);

}  // namespace ladder::imports::charset
