// Single quotes hold everything but themselves. Text that a terminal would act on comes as $'\xNN', which bash, zsh and ksh read.
#include "cli/shell_word.h"

#include "base/format.h"
#include "cli/visible_text.h"

#include <algorithm>

namespace ladder::cli {
namespace {

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_-./:@%+,").find(c) != std::string_view::npos;
}

std::string coded(std::string_view text) {
  std::string word = "$'";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte >= 0x7F) {
      word += format("\\x{:02x}", byte);
    } else {
      if (c == '\'' || c == '\\') word += '\\';
      word += c;
    }
  }
  return word + "'";
}

}  // namespace

std::string shell_word(std::string_view text) {
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain)) return std::string(text);
  if (visible_label(text) != text) return coded(text);
  std::string word = "'";
  for (const char c : text) {
    if (c == '\'') {
      word += "'\\''";
    } else {
      word += c;
    }
  }
  return word + "'";
}

}  // namespace ladder::cli
