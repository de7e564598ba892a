#include "store/testing/random_json.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "base/text/utf8.h"

#include <array>
#include <iterator>

namespace ladder::store::testing {
namespace {

// Combining marks, joiners, right-to-left letters, the limits of UTF-8 lengths, NUL and other control characters.
constexpr char32_t kUnusualCodePoints[] = {0x0,    0x1,    0x1F,   0x22,    0x5C,     0x7F,    0x80,   0x7FF,
                                           0x800,  0x301,  0x5D0,  0x627,   0x200D,   0x200E,  0x2028, 0x202E,
                                           0xFEFF, 0xFFFD, 0xFFFF, 0x10000, 0x1F468,  0x1F3FD, 0xE000, 0x2F,
                                           0x20AC, 0xDF,   0x130,  0x3C3,   0x10FFFF, 0x4E2D,  0x0A,   0x09};

}  // namespace

char32_t RandomJson::code_point(Script script) {
  if (script != Script::kAscii && one_in(6))
    return kUnusualCodePoints[static_cast<std::size_t>(below(std::ssize(kUnusualCodePoints)))];
  switch (script) {
    case Script::kAscii:
      return static_cast<char32_t>(0x20 + below(0x5F));
    case Script::kMixed:
      return static_cast<char32_t>(one_in(5) ? 0xC0 + below(0x200) : 0x20 + below(0x5F));
    case Script::kWide:
      return static_cast<char32_t>(0x4E00 + below(0x3000));
    case Script::kEmoji:
      return static_cast<char32_t>(0x1F300 + below(0x300));
  }
  return U'?';
}

std::string RandomJson::text(std::int64_t chars) {
  const auto script = static_cast<Script>(below(4));
  std::string out;
  for (std::int64_t i = 0; i < chars; ++i) utf8::append(out, code_point(script));
  return out;
}

void RandomJson::append_raw(std::string& out, char32_t c) {
  const bool must_escape = c < 0x20 || c == U'"' || c == U'\\';
  if (!must_escape && !one_in(20)) {
    utf8::append(out, c);
  } else if (c >= 0x10000) {
    out += format("\\u{:04x}\\u{:04X}", 0xD800 + ((c - 0x10000) >> 10), 0xDC00 + ((c - 0x10000) & 0x3FF));
  } else if (c == U'"' || c == U'\\' || c == U'/') {
    out += '\\';
    out += static_cast<char>(c);
  } else if (c == U'\n') {
    out += "\\n";
  } else {
    out += format("\\u{:04x}", static_cast<std::uint32_t>(c));
  }
}

std::string RandomJson::string(std::int64_t chars) {
  const auto script = static_cast<Script>(below(4));
  std::string out = "\"";
  for (std::int64_t i = 0; i < chars; ++i) {
    if (script != Script::kAscii && one_in(200)) {
      out += "\\ud800";  // a lone surrogate becomes one U+FFFD; what follows can't be its other half
    } else {
      append_raw(out, code_point(script));
    }
  }
  return out + "\"";
}

std::string RandomJson::space() {
  static constexpr std::array<const char*, 4> kSpaces = {" ", "\t", "\r\n", "    "};
  return one_in(4) ? kSpaces[static_cast<std::size_t>(below(std::ssize(kSpaces)))] : "";
}

std::string RandomJson::name(std::int64_t no) { return one_in(8) ? format("\"\\u006d{}\"", no) : format("\"m{}\"", no); }

std::string RandomJson::number() {
  static constexpr std::array<const char*, 8> kNumbers = {
      "0", "-0.0", "1.50", "9007199254740993", "18446744073709551615", "1E400", "-12", "3.14159265358979323846264338327950288"};
  return kNumbers[static_cast<std::size_t>(below(std::ssize(kNumbers)))];
}

std::string RandomJson::value(int depth, std::int64_t about_bytes) {
  if (about_bytes < 40) {
    static constexpr std::array<const char*, 5> kWords = {"null", "true", "false", "{}", "[]"};
    return one_in(2) ? number() : one_in(2) ? string(below(20)) : kWords[static_cast<std::size_t>(below(std::ssize(kWords)))];
  }
  if (depth == 0 || one_in(3)) return string(about_bytes / 2 + below(about_bytes));
  return container(one_in(2), depth - 1, about_bytes);
}

std::string RandomJson::container(bool is_object, int depth, std::int64_t about_bytes) {
  std::string out = is_object ? "{" : "[";
  // Either a few large parts or many small ones, with an occasional small one among large ones.
  const std::int64_t parts = one_in(2) ? 1 + below(6) : 1 + below(300);
  for (std::int64_t i = 0; i < parts && static_cast<std::int64_t>(out.size()) < 2 * about_bytes; ++i) {
    out += (i > 0 ? "," : "") + space();
    if (is_object) out += name(one_in(30) ? below(i + 1) : i) + space() + ":" + space();  // some names repeat
    out += value(depth, one_in(5) ? 10 : about_bytes / parts) + space();
  }
  return out + (is_object ? "}" : "]");
}

std::string RandomJson::record() {
  static constexpr std::int64_t kSizes[] = {10, 10, 100, 1'000, 3'500, 3'600, 3'601, 8'000, 16'000, 17'000, 70'000, 200'000};
  std::string out = "{" + space();
  const std::int64_t members = 1 + below(12);
  for (std::int64_t i = 0; i < members; ++i) {
    const std::int64_t about = kSizes[static_cast<std::size_t>(below(std::ssize(kSizes)))];
    out += (i > 0 ? "," : "") + space() + name(i) + space() + ":" + space() + value(4, about) + space();
  }
  return out + "}";
}

}  // namespace ladder::store::testing
