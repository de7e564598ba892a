#include "import/text/text.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>

namespace ladder::imports {

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
  constexpr std::array<std::string_view, 2> kWideSpaces = {"\xC2\xA0", "\xEF\xBB\xBF"};
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

bool starts_with_ignoring_case(std::string_view text, std::string_view lower_prefix) {
  return std::ranges::equal(text.substr(0, lower_prefix.size()), lower_prefix, {}, lower);
}

}  // namespace ladder::imports
