// Makes one pass over the code points; runs of harmless text are copied at once.
#include "base/text/visible_text.h"

#include "base/text/format.h"
#include "base/text/utf8.h"

#include <algorithm>

namespace ladder {
namespace {

constexpr char32_t kOpenBracket = 0x27E6;  // ⟦
constexpr std::string_view kLookalike = "⟦U+";

bool is_control(char32_t c) { return c < 0x20 || (c >= 0x7F && c < 0xA0); }
bool reorders(char32_t c) { return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069); }
bool is_tag(char32_t c) { return c >= 0xE0000 && c <= 0xE007F; }

std::string repaired(std::string_view bytes) {
  std::string out;
  for (;;) {
    const std::size_t bad = utf8::find_invalid(bytes);
    out += bytes.substr(0, bad);
    if (bad == std::string_view::npos) return out;
    utf8::append(out, utf8::kReplacement);
    bytes.remove_prefix(bad + 1);
  }
}

VisibleText escape(std::string_view valid, bool keep_lines) {
  VisibleText visible;
  visible.text.reserve(valid.size());
  for (std::size_t at = 0; at < valid.size();) {
    const std::size_t begin = at;
    const char32_t c = utf8::next(valid, at);
    const bool kept_control = keep_lines && (c == '\t' || c == '\n');
    const bool lookalike = c == kOpenBracket && valid.substr(begin).starts_with(kLookalike);
    if ((is_control(c) && !kept_control) || reorders(c) || is_tag(c) || lookalike) {
      visible.text += format("⟦U+{:04X}⟧", static_cast<std::uint32_t>(c));
      ++visible.escaped;
    } else {
      visible.text += valid.substr(begin, at - begin);
    }
  }
  return visible;
}

}  // namespace

VisibleText visible_text(std::string_view text) {
  return utf8::is_valid(text) ? escape(text, true) : escape(repaired(text), true);
}

std::string visible_label(std::string_view text) {
  return (utf8::is_valid(text) ? escape(text, false) : escape(repaired(text), false)).text;
}

// Single quotes protect everything but a single quote. Control characters become $'\xNN', which bash, zsh and ksh understand.

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

std::string shell_words(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) line += " " + shell_word(word);
  return line;
}

}  // namespace ladder
