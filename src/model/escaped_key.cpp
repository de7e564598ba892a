#include "model/escaped_key.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "model/handle.h"

namespace ladder::model {
namespace {

bool needs_no_escape(std::string_view key) {
  if (!is_safe_name(key)) return false;
  for (std::size_t at = 0; at < key.size();) {
    if (deceives(utf8::next(key, at))) return false;
  }
  return true;
}

}  // namespace

bool deceives(char32_t c) {
  const bool is_control = c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
  const bool is_direction = (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
  const bool is_tag = c >= 0xE0000 && c <= 0xE007F;
  return is_control || is_direction || is_tag;
}

std::string escaped_key(std::string_view key) {
  std::string out;
  char32_t before = 0;
  for (std::size_t at = 0; at < key.size();) {
    const std::size_t from = at;
    const char32_t c = utf8::next(key, at);
    const bool escapes = c == '/' || c == '\\' || c == '%' || (c == '.' && before == '.') || deceives(c);
    for (const char byte : key.substr(from, at - from)) {
      if (escapes) out += format("%{:02X}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
      else out += byte;
    }
    before = c;
  }
  return out;
}

std::optional<std::string> unescaped_key(std::string_view text) {
  const auto key = percent_decode(text);
  if (!key || escaped_key(*key) != text || needs_no_escape(*key)) return std::nullopt;
  return *key;
}

}  // namespace ladder::model
