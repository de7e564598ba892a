// Decodes the raw content of a JSON string: escapes, complete strings, and long strings in pieces.
#include "base/text/utf8.h"
#include "json/scan/scan.h"

#include <algorithm>

namespace ladder::json {
namespace {

constexpr char32_t kNotHex = 0xFFFFFFFF;

// The four hex digits at `at`.
char32_t read_hex(std::string_view raw, std::size_t at) {
  if (raw.size() < at + 4) return kNotHex;
  char32_t unit = 0;
  for (const char c : raw.substr(at, 4)) {
    unit <<= 4;
    if (c >= '0' && c <= '9') {
      unit |= static_cast<char32_t>(c - '0');
    } else if (c >= 'a' && c <= 'f') {
      unit |= static_cast<char32_t>(c - 'a' + 10);
    } else if (c >= 'A' && c <= 'F') {
      unit |= static_cast<char32_t>(c - 'A' + 10);
    } else {
      return kNotHex;
    }
  }
  return unit;
}

Escape read_unicode_escape(std::string_view raw, std::size_t at) {
  const char32_t unit = read_hex(raw, at + 2);
  if (unit == kNotHex) return {};
  if (!is_high_surrogate(unit) || raw.size() < at + 12 || raw[at + 6] != '\\' || raw[at + 7] != 'u') return {unit, 6};
  const char32_t other = read_hex(raw, at + 8);
  if (!is_low_surrogate(other)) return {unit, 6};
  return {0x10000 + ((unit - 0xD800) << 10) + (other - 0xDC00), 12};
}

// Appends the escape at `at` and moves past it. Invalid escapes (never in checked text) are dropped byte by byte.
void append_escape(std::string& out, std::string_view raw, std::size_t& at) {
  const Escape escape = read_escape(raw, at);
  if (escape.length != 0) utf8::append(out, escape.code_point);
  at += std::max<std::size_t>(escape.length, 1);
}

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

// The length of the longest prefix of valid text of at most max_bytes that does not split a code point.
std::size_t whole_prefix(std::string_view valid, std::size_t max_bytes) {
  if (valid.size() <= max_bytes) return valid.size();
  std::size_t length = max_bytes;
  while (length > 0 && is_continuation(valid[length])) --length;
  return length;
}

}  // namespace

Escape read_escape(std::string_view raw, std::size_t at) {
  if (raw.size() < at + 2) return {};
  switch (raw[at + 1]) {
    case '"':
      return {U'"', 2};
    case '\\':
      return {U'\\', 2};
    case '/':
      return {U'/', 2};
    case 'b':
      return {U'\b', 2};
    case 'f':
      return {U'\f', 2};
    case 'n':
      return {U'\n', 2};
    case 'r':
      return {U'\r', 2};
    case 't':
      return {U'\t', 2};
    case 'u':
      return read_unicode_escape(raw, at);
    default:
      return {};
  }
}

std::size_t decoded_length(std::string_view raw) {
  std::size_t length = 0;
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t backslash = std::min(raw.find('\\', at), raw.size());
    length += static_cast<std::size_t>(utf8::count(raw.substr(at, backslash - at)));
    at = backslash;
    if (at == raw.size()) break;
    at += std::max<std::size_t>(read_escape(raw, at).length, 1);
    ++length;
  }
  return length;
}

bool name_equals(std::string_view raw_name, std::string_view decoded) {
  if (raw_name.find('\\') == std::string_view::npos) return raw_name == decoded;
  // An escape takes more bytes than the character, up to six times (\u0000).
  if (raw_name.size() < decoded.size() || raw_name.size() / 6 > decoded.size()) return false;
  return decode_string(raw_name) == decoded;
}

std::string decode_string(std::string_view raw) {
  std::string out;
  std::size_t at = 0;
  while (at < raw.size()) {
    const std::size_t backslash = std::min(raw.find('\\', at), raw.size());
    out.append(raw.substr(at, backslash - at));
    at = backslash;
    if (at < raw.size()) append_escape(out, raw, at);
  }
  return out;
}

bool StringDecoder::next(std::string& piece, std::size_t max_bytes) {
  piece.clear();
  max_bytes = std::max<std::size_t>(max_bytes, 4);  // room for one code point of any size
  while (at_ < raw_.size() && piece.size() < max_bytes) {
    if (raw_[at_] == '\\') {
      const std::size_t kept = piece.size();
      std::size_t behind = at_;
      append_escape(piece, raw_, behind);
      if (piece.size() > max_bytes) {
        piece.resize(kept);
        break;
      }
      at_ = behind;
      continue;
    }
    const std::string_view near = raw_.substr(at_, max_bytes - piece.size() + 1);
    const std::string_view plain = near.substr(0, near.find('\\'));
    const std::size_t length = whole_prefix(plain, max_bytes - piece.size());
    if (length == 0) break;
    piece.append(plain.substr(0, length));
    at_ += length;
  }
  return !piece.empty();
}

}  // namespace ladder::json
