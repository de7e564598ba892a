// Detects base64 by the shape of a text alone, never by a field's name (PDPP "records"): at least 256 characters, a
// multiple of four, at least four distinct ones, all in the base64 alphabet, padding only at the end. Takes the text in
// pieces.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ladder::model {

class Base64Shape {
 public:
  void feed(std::string_view piece);
  bool fits() const;
  std::int64_t decoded_bytes() const { return decoded_size(chars_, padding_); }  // for a text that fits
  static constexpr std::int64_t kMaxPadding = 2;                                 // characters at the end of a text that fits
  static constexpr std::int64_t decoded_size(std::int64_t chars, std::int64_t padding) { return chars / 4 * 3 - padding; }
  // The type detected from the first bytes (PNG, JPEG, GIF, PDF, ZIP, …); empty if unknown.
  std::string sniffed_mime_type() const;

 private:
  std::int64_t chars_ = 0;  // counted while all are in the alphabet, where each is one byte
  std::array<bool, 128> seen_{};
  bool alphabet_ok_ = true;
  int padding_ = 0;
  std::string head_;
};

bool looks_base64(std::string_view text);

}  // namespace ladder::model
