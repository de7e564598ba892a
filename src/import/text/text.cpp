#include "import/text/text.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>

namespace ladder::imports {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

}  // namespace

std::string replace_invalid(std::string_view bytes) {
  std::string text;
  for (;;) {
    const std::size_t bad = utf8::find_invalid(bytes);
    if (bad == std::string_view::npos) return text.append(bytes);
    text.append(bytes.substr(0, bad));
    utf8::append(text, utf8::kReplacement);
    bytes.remove_prefix(bad + 1);
    // Skip the rest of an invalid sequence.
    while (!bytes.empty() && (static_cast<unsigned char>(bytes.front()) & 0xC0) == 0x80) bytes.remove_prefix(1);
  }
}

std::string_view trim(std::string_view text) {
  constexpr std::array<std::string_view, 2> kWideSpaces = {"\xC2\xA0", kMark};
  const auto is_space = [](char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; };
  const auto step = [&](bool front) {
    if (text.empty()) return false;
    const char c = front ? text.front() : text.back();
    if (is_space(c)) {
      front ? text.remove_prefix(1) : text.remove_suffix(1);
      return true;
    }
    if (static_cast<unsigned char>(c) < 0x80) return false;
    for (const std::string_view space : kWideSpaces) {
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

namespace {

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

}  // namespace

std::string lower_ascii(std::string_view text) {
  std::string lowered(text);
  for (char& c : lowered) c = lower(c);
  return lowered;
}

bool is_digits(std::string_view text) { return !text.empty() && std::ranges::all_of(text, is_digit); }

std::string_view first_line(std::string_view text) {
  text = text.substr(0, text.find('\n'));
  if (text.ends_with('\r')) text.remove_suffix(1);
  return text;
}

std::string_view without_mark(std::string_view text) {
  if (text.starts_with(kMark)) text.remove_prefix(kMark.size());
  return text;
}

std::string_view beginning(std::string_view valid, std::size_t max_bytes) {
  if (valid.size() <= max_bytes) return valid;
  while (max_bytes > 0 && (static_cast<unsigned char>(valid[max_bytes]) & 0xC0) == 0x80) --max_bytes;
  return valid.substr(0, max_bytes);
}

bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix) {
  return std::ranges::equal(text.substr(0, lower_prefix.size()), lower_prefix, {}, lower);
}

}  // namespace ladder::imports
