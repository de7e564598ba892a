#include "model/base64_shape.h"

#include <algorithm>

namespace ladder::model {
namespace {

constexpr std::int64_t kBase64MinChars = 256;
constexpr int kBase64MinDistinct = 4;
constexpr std::size_t kHeadChars = 64;  // enough for every signature below

constexpr std::array<std::int8_t, 256> make_sextets() {
  std::array<std::int8_t, 256> table{};
  table.fill(-1);
  constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  for (std::size_t i = 0; i < kAlphabet.size(); ++i) {
    table[static_cast<unsigned char>(kAlphabet[i])] = static_cast<std::int8_t>(i);
  }
  return table;
}
constexpr std::array<std::int8_t, 256> kSextets = make_sextets();

struct Signature {
  std::size_t offset;
  std::string_view bytes;
  std::string_view mime_type;
};
using namespace std::string_view_literals;
constexpr Signature kSignatures[] = {
    {0, "\x89PNG\r\n\x1a\n"sv, "image/png"},
    {0, "\xff\xd8\xff"sv, "image/jpeg"},
    {0, "GIF87a"sv, "image/gif"},
    {0, "GIF89a"sv, "image/gif"},
    {8, "WEBP"sv, "image/webp"},
    {0, "II*\0"sv, "image/tiff"},
    {0, "MM\0*"sv, "image/tiff"},
    {4, "ftypheic"sv, "image/heic"},
    {4, "ftypavif"sv, "image/avif"},
    {0, "%PDF-"sv, "application/pdf"},
    {0, "PK\x03\x04"sv, "application/zip"},
    {0, "\x1f\x8b\x08"sv, "application/gzip"},
    {0, "7z\xbc\xaf\x27\x1c"sv, "application/x-7z-compressed"},
    {0, "ID3"sv, "audio/mpeg"},
    {0, "fLaC"sv, "audio/flac"},
    {0, "OggS"sv, "audio/ogg"},
    {8, "WAVE"sv, "audio/wav"},
    {4, "ftyp"sv, "video/mp4"},
    {0, "\x1a\x45\xdf\xa3"sv, "video/webm"},
};

std::string decode_head(std::string_view base64) {
  std::string bytes;
  unsigned bits = 0;
  int held = 0;
  for (const char c : base64) {
    const std::int8_t sextet = kSextets[static_cast<unsigned char>(c)];
    if (sextet < 0) break;
    bits = bits << 6 | static_cast<unsigned char>(sextet);
    held += 6;
    if (held >= 8) {
      held -= 8;
      bytes.push_back(static_cast<char>(bits >> held & 0xFF));
    }
  }
  return bytes;
}

}  // namespace

void Base64Shape::feed(std::string_view piece) {
  if (!alphabet_ok_) return;
  if (head_.size() < kHeadChars) head_ += piece.substr(0, kHeadChars - head_.size());
  chars_ += std::ssize(piece);
  for (const char c : piece) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '=') {
      ++padding_;
    } else if (kSextets[byte] < 0 || padding_ > 0) {
      alphabet_ok_ = false;
      return;
    } else {
      seen_[byte] = true;
    }
  }
}

bool Base64Shape::fits() const {
  return alphabet_ok_ && chars_ >= kBase64MinChars && chars_ % 4 == 0 && padding_ <= kMaxPadding &&
         std::ranges::count(seen_, true) >= kBase64MinDistinct;
}

std::string Base64Shape::sniffed_mime_type() const {
  const std::string bytes = decode_head(head_);
  for (const Signature& signature : kSignatures) {
    if (bytes.size() >= signature.offset && std::string_view(bytes).substr(signature.offset).starts_with(signature.bytes)) {
      return std::string(signature.mime_type);
    }
  }
  return {};
}

bool looks_base64(std::string_view text) {
  if (std::ssize(text) < kBase64MinChars || text.size() % 4 != 0) return false;
  // Prose fails at its first space, before anything is stored.
  const auto of_alphabet = [](char c) { return c == '=' || kSextets[static_cast<unsigned char>(c)] >= 0; };
  if (!std::ranges::all_of(text.substr(0, kHeadChars), of_alphabet)) return false;
  Base64Shape shape;
  shape.feed(text);
  return shape.fits();
}

}  // namespace ladder::model
