#include "import/formats/whatsapp_attachment.h"

#include "import/mime_type.h"
#include "import/text.h"

#include <algorithm>

namespace ladder::imports::whatsapp {
namespace {

constexpr std::string_view kMarkedBracket = "\xE2\x80\x8E<";  // U+200E: what follows is WhatsApp's own

// "<attached: x.jpg>" → "x.jpg"
std::string in_brackets(std::string_view text) {
  const std::size_t colon = text.find(": ");
  if (!text.starts_with('<') || !text.ends_with('>') || colon == std::string_view::npos) return {};
  return std::string(without_marks(text.substr(colon + 2, text.size() - colon - 3)));
}

}  // namespace

std::string_view without_marks(std::string_view text) {
  for (;;) {
    const std::string_view before = text;
    text = trim(text);
    for (const std::string_view mark : {"\xE2\x80\x8E", "\xE2\x80\x8F", "\xE2\x80\xAA", "\xE2\x80\xAC"}) {
      if (text.starts_with(mark)) text.remove_prefix(mark.size());
      if (text.ends_with(mark)) text.remove_suffix(mark.size());
    }
    if (text.size() == before.size()) return text;
  }
}

std::string attachment_in_line(std::string_view line, bool is_first) {
  if (const std::size_t marked = line.rfind(kMarkedBracket); marked != std::string_view::npos) {
    if (std::string name = in_brackets(without_marks(line.substr(marked))); !name.empty()) return name;
  }
  if (!is_first) return {};
  const std::string_view text = without_marks(line);
  if (text.starts_with('<')) return in_brackets(text);
  const std::size_t bracket = text.rfind(" (");
  if (bracket == std::string_view::npos || !text.ends_with(')')) return {};
  const std::string_view name = without_marks(text.substr(0, bracket));
  const std::size_t dot = name.rfind('.');
  const bool is_file = dot != std::string_view::npos && name.size() - dot >= 3 && name.size() - dot <= 6 &&
                       name.find(' ') == std::string_view::npos;
  return is_file && mime_type_of(name) != "application/octet-stream" ? std::string(name) : std::string();
}

std::string attachment_in(std::string_view text) {
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (std::string name = attachment_in_line(text.substr(at, end - at), at == 0); !name.empty()) return name;
    at = end + 1;
  }
  return {};
}

}  // namespace ladder::imports::whatsapp
