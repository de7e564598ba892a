// Encodings by iconv, with what exports really do in mind: wrong labels, Windows-1252 called Latin-1, UTF-8 called anything.
#include "import/text.h"

#include "base/utf8.h"
#include "import/wide_text.h"

#include <iconv.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <optional>

namespace ladder::imports {
namespace {

// 0x80 to 0x9F of Windows-1252; 0 where it has nothing.
constexpr std::array<char16_t, 32> kWindows1252 = {
    0x20AC, 0,      0x201A, 0x0192, 0x201E, 0x2026, 0x2020, 0x2021, 0x02C6, 0x2030, 0x0160, 0x2039, 0x0152, 0, 0x017D, 0,
    0,      0x2018, 0x2019, 0x201C, 0x201D, 0x2022, 0x2013, 0x2014, 0x02DC, 0x2122, 0x0161, 0x203A, 0x0153, 0, 0x017E, 0x0178};

std::optional<std::string> from_windows_1252(std::string_view bytes) {
  std::string text;
  text.reserve(bytes.size() + bytes.size() / 4);
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 || byte >= 0xA0) {
      utf8::append(text, byte);
    } else if (kWindows1252[byte - 0x80] != 0) {
      utf8::append(text, kWindows1252[byte - 0x80]);
    } else {
      return std::nullopt;
    }
  }
  return text;
}

// nullopt when the name is unknown or the bytes do not fit it.
std::optional<std::string> converted(std::string_view bytes, const std::string& charset) {
  const iconv_t converter = iconv_open("UTF-8", charset.c_str());
  // NOLINTNEXTLINE(performance-no-int-to-ptr): what iconv_open says for "no"
  if (converter == reinterpret_cast<iconv_t>(-1)) return std::nullopt;
  std::string text;
  std::string input(bytes);  // iconv takes it unconst
  char* in = input.data();
  std::size_t left = input.size();
  std::array<char, 16 * 1024> piece;
  bool fits = true;
  while (fits) {
    char* out = piece.data();
    std::size_t room = piece.size();
    const bool flush = left == 0;
    const std::size_t done = flush ? iconv(converter, nullptr, nullptr, &out, &room) : iconv(converter, &in, &left, &out, &room);
    const int problem = errno;
    text.append(piece.data(), piece.size() - room);
    if (done == static_cast<std::size_t>(-1) && problem != E2BIG) fits = false;
    if (flush && fits) break;
  }
  iconv_close(converter);
  if (!fits || !utf8::is_valid(text)) return std::nullopt;
  return text;
}

// A name that iconv may be given: other characters select files or options of its own.
std::string charset_name(std::string_view name) {
  std::string clean;
  for (const char c : trim(name)) {
    const bool fit =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '_' || c == ':';
    if (c == '"' || c == '\'') continue;
    if (!fit || clean.size() >= 40) return {};
    clean += c;
  }
  return lower_ascii(clean);
}

// One byte a letter: text in these that is valid UTF-8 beyond ASCII is mislabelled.
bool is_single_byte(std::string_view charset) {
  return charset.empty() || charset.starts_with("iso-8859") || charset.starts_with("iso8859") ||
         charset.starts_with("iso_8859") || charset.starts_with("windows-125") || charset.starts_with("cp125") ||
         charset.starts_with("latin") || charset.starts_with("koi8") || charset.starts_with("us-ascii") ||
         charset.starts_with("ascii") || charset.starts_with("utf-8") || charset.starts_with("utf8") ||
         charset.starts_with("mac");
}

bool is_latin1(std::string_view charset) {
  return charset == "iso-8859-1" || charset == "iso8859-1" || charset == "latin1" || charset == "us-ascii" || charset == "ascii";
}

bool looks_like_text(std::string_view bytes) {
  return std::ranges::none_of(bytes, [](char c) { return static_cast<unsigned char>(c) < 0x09; });
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::string with_plain_line_ends(std::string text) {
  if (text.find('\r') == std::string::npos) return text;
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') plain += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n') plain += '\n';
  }
  return plain;
}

}  // namespace

std::string replace_invalid(std::string_view bytes) {
  std::string text;
  for (;;) {
    const std::size_t bad = utf8::find_invalid(bytes);
    if (bad == std::string_view::npos) return text.append(bytes);
    text.append(bytes.substr(0, bad));
    utf8::append(text, utf8::kReplacement);
    bytes.remove_prefix(bad + 1);
    // The rest of a broken sequence goes with its first byte.
    while (!bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0xC0) == 0x80) bytes.remove_prefix(1);
  }
}

std::string to_utf8_raw(std::string_view bytes, std::string_view charset) {
  if (is_wide(bytes)) return from_wide(bytes);
  const bool marked = bytes.starts_with(kMark);
  if (marked) bytes.remove_prefix(kMark.size());
  const std::string name = charset_name(charset);
  const bool valid = utf8::is_valid(bytes);
  if (valid && (marked || is_single_byte(name))) return std::string(bytes);
  if (!name.empty() && !is_latin1(name)) {
    if (auto text = converted(bytes, name)) return *std::move(text);
  }
  if (valid) return std::string(bytes);
  if (looks_like_text(bytes)) {
    if (auto text = from_windows_1252(bytes)) return *std::move(text);
  }
  return replace_invalid(bytes);
}

std::string to_utf8(std::string_view bytes, std::string_view charset) {
  return with_plain_line_ends(to_utf8_raw(bytes, charset));
}

std::string into_utf8(std::string bytes, std::string_view charset) {
  const bool stays =
      !is_wide(bytes) && !bytes.starts_with(kMark) && is_single_byte(charset_name(charset)) && utf8::is_valid(bytes);
  return stays ? with_plain_line_ends(std::move(bytes)) : to_utf8(bytes, charset);
}

std::string_view trim(std::string_view text) {
  constexpr std::array<std::string_view, 7> kSpaces = {" ", "\t", "\n", "\r", "\f", "\xC2\xA0", "\xEF\xBB\xBF"};
  const auto step = [&](bool front) {
    for (const std::string_view space : kSpaces) {
      if (front ? !text.starts_with(space) : !text.ends_with(space)) continue;
      front ? text.remove_prefix(space.size()) : text.remove_suffix(space.size());
      return true;
    }
    return false;
  };
  while (step(true)) {
  }
  while (step(false)) {
  }
  return text;
}

std::string lower_ascii(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return lower;
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix) {
  return text.size() >= lower_prefix.size() && lower_ascii(text.substr(0, lower_prefix.size())) == lower_prefix;
}

}  // namespace ladder::imports
