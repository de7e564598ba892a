#include "console/reading/names.h"

#include "base/text/utf8.h"

#include <algorithm>

namespace ladder::console {
namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kAround = " \t\r\n\"'";
  const std::size_t first = text.find_first_not_of(kAround);
  return first == std::string_view::npos ? std::string_view() : text.substr(first, text.find_last_not_of(kAround) + 1 - first);
}

// Returns true for letters and digits. Punctuation, symbols and emoji beyond ASCII are in these blocks.
bool is_letter(char32_t c) {
  if (c < 0x80) return (c >= U'a' && c <= U'z') || (c >= U'A' && c <= U'Z') || (c >= U'0' && c <= U'9');
  return c >= 0xC0 && !(c >= 0x2000 && c < 0x2C00) && !(c >= 0x3000 && c < 0x3040) && !(c >= 0xFE00 && c < 0xFE70) && c < 0x1F000;
}

char32_t capital(char32_t c) {
  const bool is_small = (c >= U'a' && c <= U'z') || (c >= 0xE0 && c <= 0xFE && c != 0xF7);  // ASCII and Latin-1
  return is_small ? c - 0x20 : c;
}

}  // namespace

Mailbox mailbox_of(std::string_view text) {
  const std::size_t open = text.rfind('<'), close = text.rfind('>');
  const bool has_address = open != std::string_view::npos && close != std::string_view::npos && open < close;
  const std::string_view address = trimmed(has_address ? text.substr(open + 1, close - open - 1) : text);
  const std::string_view name = trimmed(has_address ? text.substr(0, open) : text);
  const bool is_address = address.find('@') != std::string_view::npos;
  return {std::string(name.empty() ? address : name), is_address ? std::string(address) : std::string()};
}

std::vector<Mailbox> mailboxes_of(std::string_view list) {
  std::vector<Mailbox> found;
  bool quoted = false, bracketed = false;
  std::size_t begin = 0;
  for (std::size_t at = 0; at <= list.size(); ++at) {
    const char c = at < list.size() ? list[at] : ',';
    if (c == '"') quoted = !quoted;
    if (c == '<' || c == '>') bracketed = c == '<';
    if ((c != ',' || quoted || bracketed) && at < list.size()) continue;
    // "Berg, Kari <kari@berg.example>" is one person.
    const std::string_view part = list.substr(begin, at - begin);
    const std::string_view next = list.substr(std::min(at + 1, list.size()));
    const std::size_t bracket = next.substr(0, next.find(',')).find('<');
    if (bracket != std::string_view::npos && bracket > 1 && part.find('@') == std::string_view::npos) continue;
    if (!trimmed(part).empty()) found.push_back(mailbox_of(part));
    begin = at + 1;
  }
  return found;
}

std::string initials_of(std::string_view name) {
  char32_t first = 0, last = 0;
  bool inside = false;
  for (std::size_t at = 0; at < name.size();) {
    const char32_t c = utf8::next(name, at);
    if (c == U'@' || c == U'<' || c == U'(') break;
    if (!inside && is_letter(c)) (first == 0 ? first : last) = c;
    inside = c != U' ' && c != U'\t' && c != U'.' && c != U'_' && (inside || is_letter(c));
  }
  std::string initials;
  for (const char32_t c : {first, last}) {
    if (c != 0) utf8::append(initials, capital(c));
  }
  return initials;
}

}  // namespace ladder::console
