#include "import/formats/imessage/typed_stream.h"

#include "base/text/utf8.h"

namespace ladder::imports::imessage {
namespace {

constexpr std::string_view kHead = "\x04\x0Bstreamtyped";
constexpr std::string_view kClass = "\x08NSString";
constexpr std::string_view kValueFollows = "\x84\x01+";  // a new type, of one letter: bytes
constexpr std::size_t kMaxGap = 32;                      // between the class and its value: version, superclass

std::size_t number_at(std::string_view bytes, std::size_t at, std::size_t count) {
  std::size_t value = 0;
  for (std::size_t i = count; i > 0; --i) value = value << 8 | static_cast<unsigned char>(bytes[at + i - 1]);
  return value;
}

}  // namespace

std::optional<std::string> text_in_typed_stream(std::string_view bytes) {
  if (!bytes.starts_with(kHead)) return std::nullopt;
  const std::size_t named = bytes.find(kClass);
  if (named == std::string_view::npos) return std::nullopt;
  std::size_t at = bytes.find(kValueFollows, named + kClass.size());
  if (at == std::string_view::npos || at > named + kClass.size() + kMaxGap) return std::nullopt;
  at += kValueFollows.size();
  if (at >= bytes.size()) return std::nullopt;
  // A small number is its own byte; the tags 81 and 82 precede numbers of two and four bytes.
  const auto tag = static_cast<unsigned char>(bytes[at++]);
  const std::size_t width = tag == 0x81 ? 2 : tag == 0x82 ? 4 : 0;
  if ((width == 0 && tag >= 0x80) || at + width > bytes.size()) return std::nullopt;
  const std::size_t size = width == 0 ? tag : number_at(bytes, at, width);
  at += width;
  if (size > bytes.size() - at || !utf8::is_valid(bytes.substr(at, size))) return std::nullopt;
  return std::string(bytes.substr(at, size));
}

}  // namespace ladder::imports::imessage
