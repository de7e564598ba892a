#include "html/html.h"

#include "base/text/format.h"
#include "base/text/grouped.h"

#include <array>
#include <stdexcept>

namespace ladder::html {
namespace {

constexpr std::string_view kReplacement = "\xEF\xBF\xBD";

// Returns true for bidirectional controls, zero-width characters, line separators, tags and the byte-order mark. These
// characters are invisible or change how the text around them is displayed.
bool is_hidden(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2060 && c <= 0x206F) || c == 0xFEFF ||
         c == 0x061C || c == 0x180E || (c >= 0xFFF9 && c <= 0xFFFB) || (c >= 0xE0000 && c <= 0xE0FFF) || c == 0x00AD;
}

// Returns true for the hidden characters that languages and emoji need, and for isolates, which end with their element.
bool is_shaping(char32_t c) {
  return (c >= 0x200B && c <= 0x200F) || c == 0x2060 || (c >= 0x2066 && c <= 0x2069) || c == 0xFEFF || c == 0x061C || c == 0x00AD;
}

struct Decoded {
  char32_t code = 0;
  std::size_t bytes = 0;  // 0: not UTF-8
};

Decoded decode(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  const std::size_t length = first < 0x80 ? 1 : first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || length > text.size()) return {};
  if (length == 1) return {first, 1};
  char32_t code = first & (0x7FU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  constexpr std::array<char32_t, 5> kLeast = {0, 0, 0x80, 0x800, 0x10000};
  if (code < kLeast[length] || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, length};
}

// Returns true for pictographs and what may follow one in a sequence. A joiner between two of them hides nothing.
bool is_pictograph(char32_t c) { return (c >= 0x1F000 && c <= 0x1FAFF) || (c >= 0x2190 && c <= 0x2BFF) || c == 0xFE0F; }

enum class Hidden { kNamed, kShapingStays };

void append_escaped(std::string& out, std::string_view text, Hidden hidden = Hidden::kNamed) {
  char32_t before = 0;
  while (!text.empty()) {
    const Decoded next = decode(text);
    if (next.bytes == 0) {
      out += kReplacement;
      text.remove_prefix(1);
      continue;
    }
    const std::string_view bytes = text.substr(0, next.bytes);
    text.remove_prefix(next.bytes);
    const bool joins = next.code == 0x200D && is_pictograph(before) && !text.empty() && is_pictograph(decode(text).code);
    before = next.code;
    switch (next.code) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        if (joins) out += bytes;
        else if (is_hidden(next.code) && !(hidden == Hidden::kShapingStays && is_shaping(next.code)))
          out += format("U+{:04X}", static_cast<std::uint32_t>(next.code));
        else if (next.code == 0x7F || (next.code < 0x20 && next.code != '\n' && next.code != '\t')) out += kReplacement;
        else out += bytes;
    }
  }
}

bool is_address(std::string_view name) {
  return name == "href" || name == "src" || name == "action" || name == "formaction" || name == "content";
}

std::string_view scheme_of(std::string_view address) {
  const auto colon = address.find(':');
  const auto other = address.find_first_of("/?#");
  return colon == std::string_view::npos || (other != std::string_view::npos && other < colon) ? std::string_view()
                                                                                               : address.substr(0, colon);
}

}  // namespace

Text::Text(std::int64_t number) : own_(grouped(number)), text_(own_) {}

std::optional<Url> Url::checked(std::string_view address) {
  for (const char c : address) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte <= 0x20 || byte >= 0x7F || c == '"' || c == '<' || c == '>' || c == '\\') return std::nullopt;
  }
  const std::string_view scheme = scheme_of(address);
  if (scheme.empty()) return std::nullopt;
  std::string lower(scheme);
  for (char& c : lower) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  for (const std::string_view never : {"javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "view-source"}) {
    if (lower == never) return std::nullopt;
  }
  return Url(std::string(address));
}

std::string Url::encoded(std::string_view text) {
  std::string out;
  for (const char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
                       c == '_' || c == '~';
    if (plain) out += c;
    else out += format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(c)));
  }
  return out;
}

void Attribute::check(bool is_url) const {
  for (const char c : name_) {
    if (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-')) throw std::logic_error("invalid attribute name");
  }
  if (name_.starts_with("on") || name_ == "style" || name_ == "srcdoc") throw std::logic_error("attribute can run code");
  if (!is_url && is_address(name_)) throw std::logic_error("address must be a Url");
}

Writer& Writer::operator<<(const Text& text) {
  append_escaped(out_, text.text());
  return *this;
}

Writer& Writer::operator<<(const Prose& prose) {
  append_escaped(out_, prose.text(), Hidden::kShapingStays);
  return *this;
}

Writer& Writer::operator<<(const Attribute& attribute) {
  out_ += ' ';
  out_ += attribute.name();
  out_ += "=\"";
  append_escaped(out_, attribute.value());
  out_ += '"';
  return *this;
}

}  // namespace ladder::html
