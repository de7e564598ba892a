// Handles the encoding mistakes of real exports: wrong labels, UTF-8 with another label, bytes without a label.
#include "import/charset/read_text.h"

#include "base/text/utf8.h"
#include "import/charset/encoding.h"
#include "import/text/text.h"

#include <algorithm>
#include <array>

namespace ladder::imports {
namespace {

constexpr std::size_t kMaxErrors = 50;  // a label is accepted if at most one in this many non-ASCII characters is invalid

// "us-ascii" says nothing about non-ASCII bytes.
const charset::Encoding* named_encoding(std::string_view label) {
  if (label.empty()) return nullptr;
  const std::string plain = lower_ascii(trim(label));
  return plain == "us-ascii" || plain == "ascii" || plain == "ansi_x3.4-1968" ? nullptr : charset::find_encoding(label);
}

std::size_t letters_beyond_ascii(std::string_view valid) {
  return static_cast<std::size_t>(std::ranges::count_if(valid, [](char c) { return static_cast<unsigned char>(c) >= 0xC0; }));
}

// Detects the byte order of UTF-16 without a byte order mark by its zero bytes. Plain bytes labeled as UTF-16 are rejected.
const charset::Encoding* order_of_bytes(std::string_view bytes, const charset::Encoding* named) {
  if (named->name != "utf-16le" && named->name != "utf-16be") return named;
  std::array<std::size_t, 2> zeros{};
  const std::string_view sample = bytes.substr(0, 4096);
  for (std::size_t i = 0; i < sample.size(); ++i) zeros[i % 2] += sample[i] == '\0' ? 1 : 0;
  if (zeros[0] == zeros[1]) return named;
  return charset::find_encoding(zeros[0] > zeros[1] ? "utf-16be" : "utf-16le");
}

constexpr std::string_view kMark = "\xEF\xBB\xBF";

std::string with_plain_line_ends(std::string text) {
  if (text.find('\r') == std::string::npos) return text;
  std::string plain;
  plain.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\r') plain += text[i];
    else if (i + 1 == text.size() || text[i + 1] != '\n') plain += '\n';
  }
  return plain;
}

}  // namespace

ReadText read_text(std::string_view bytes, std::string_view charset) {
  using charset::Family;
  if (is_wide(bytes)) return {from_wide(bytes), ""};
  const bool marked = bytes.starts_with(kMark);
  if (marked) bytes.remove_prefix(kMark.size());
  const charset::Encoding* named = named_encoding(charset);
  if (const charset::Encoding* wide = named == nullptr && !marked ? charset::guess_wide(bytes) : nullptr) {
    return {charset::decode(bytes, *wide).text, wide->name};
  }
  const bool valid = utf8::is_valid(bytes);
  const bool is_plain = named == nullptr || named->family == Family::kUtf8 || named->family == Family::kSingleByte;
  if (valid && (marked || (is_plain && !(named == nullptr && charset::has_escapes(bytes))))) return {std::string(bytes), ""};
  if (valid && named != nullptr && named->family == Family::kMultiByte && utf8::is_ascii(bytes)) return {std::string(bytes), ""};
  if (valid && named != nullptr && named->family == Family::kWide && bytes.find('\0') == std::string_view::npos)
    return {std::string(bytes), ""};
  charset::Decoded read;
  if (named != nullptr) {
    read = charset::decode(bytes, *order_of_bytes(bytes, named));
    if (read.errors * kMaxErrors <= letters_beyond_ascii(read.text)) return {std::move(read.text), ""};
  }
  if (valid && !charset::has_escapes(bytes)) return {std::string(bytes), ""};
  if (const charset::Encoding* guessed = charset::guess_encoding(bytes)) {
    return {charset::decode(bytes, *guessed).text, guessed->name};
  }
  return {replace_invalid(bytes), ""};
}

std::string to_utf8_raw(std::string_view bytes, std::string_view charset) { return read_text(bytes, charset).text; }

std::string to_utf8(std::string_view bytes, std::string_view charset) {
  return with_plain_line_ends(to_utf8_raw(bytes, charset));
}

ReadText into_utf8(std::string bytes, std::string_view charset) {
  const charset::Encoding* named = named_encoding(charset);
  const bool is_plain =
      named == nullptr || named->family == charset::Family::kUtf8 || named->family == charset::Family::kSingleByte;
  const bool may_be_wide = is_wide(bytes) || (named == nullptr && charset::guess_wide(bytes) != nullptr);
  const bool stays =
      is_plain && !may_be_wide && !bytes.starts_with(kMark) && !charset::has_escapes(bytes) && utf8::is_valid(bytes);
  if (stays) return {with_plain_line_ends(std::move(bytes)), ""};
  ReadText read = read_text(bytes, charset);
  read.text = with_plain_line_ends(std::move(read.text));
  return read;
}

}  // namespace ladder::imports
