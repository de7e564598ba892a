// Converts UTF-16 and UTF-32 text with a byte order mark.
#include "base/text/utf8.h"
#include "import/charset/read_text.h"

namespace ladder::imports {
namespace {

struct Form {
  std::size_t mark = 0;  // length of the byte order mark
  std::size_t unit = 0;  // 2 or 4; 0 if it is neither UTF-16 nor UTF-32
  bool big_endian = false;
};

Form form_of(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xFE\0\0"sv)) return {4, 4, false};
  if (bytes.starts_with("\0\0\xFE\xFF"sv)) return {4, 4, true};
  if (bytes.starts_with("\xFF\xFE"sv)) return {2, 2, false};
  if (bytes.starts_with("\xFE\xFF"sv)) return {2, 2, true};
  return {};
}

char32_t unit_at(std::string_view bytes, std::size_t at, const Form& form) {
  char32_t value = 0;
  for (std::size_t i = 0; i < form.unit; ++i) {
    const std::size_t place = form.big_endian ? at + i : at + form.unit - 1 - i;
    value = value << 8 | static_cast<unsigned char>(bytes[place]);
  }
  return value;
}

bool is_first_half(char32_t unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_second_half(char32_t unit) { return unit >= 0xDC00 && unit < 0xE000; }

}  // namespace

bool is_wide(std::string_view bytes) { return form_of(bytes).unit != 0; }

std::string from_wide(std::string_view bytes) {
  const Form form = form_of(bytes);
  std::string text;
  if (form.unit == 0) return text;
  text.reserve(bytes.size() / form.unit);
  for (std::size_t at = form.mark; at + form.unit <= bytes.size(); at += form.unit) {
    char32_t letter = unit_at(bytes, at, form);
    if (form.unit == 2 && is_first_half(letter)) {
      if (at + 2 * form.unit > bytes.size()) break;
      const char32_t second = unit_at(bytes, at + form.unit, form);
      if (is_second_half(second)) {
        letter = 0x10000 + ((letter - 0xD800) << 10) + (second - 0xDC00);
        at += form.unit;
      }
    }
    const bool fits = letter <= 0x10FFFF && !is_first_half(letter) && !is_second_half(letter);
    utf8::append(text, fits ? letter : utf8::kReplacement);
  }
  return text;
}

}  // namespace ladder::imports
