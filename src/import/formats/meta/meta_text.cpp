#include "import/formats/meta/meta_text.h"

#include "base/text/utf8.h"
#include "import/json/json_members.h"

namespace ladder::imports::meta {

std::string repaired(std::string_view text) {
  std::string bytes;
  bool is_ascii = true;
  for (std::size_t at = 0; at < text.size();) {
    const char32_t c = utf8::next(text, at);
    if (c > 0xFF) return std::string(text);
    is_ascii = is_ascii && c < 0x80;
    bytes += static_cast<char>(c);
  }
  return is_ascii || !utf8::is_valid(bytes) ? std::string(text) : bytes;
}

std::string text_in(const json::Value& value) { return repaired(text_of(value)); }
std::string text_in(const json::Value& object, std::string_view name) { return text_in(member_of(object, name)); }

}  // namespace ladder::imports::meta
