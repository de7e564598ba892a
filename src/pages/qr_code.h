// QR codes (ISO/IEC 18004) for addresses: bytes, error correction level M, versions 1 to 10, which take 213 bytes.
#pragma once

#include "html/html.h"

#include <cstddef>
#include <optional>
#include <string_view>
#include <vector>

namespace ladder::pages {

class QrCode {
 public:
  static std::optional<QrCode> of(std::string_view bytes);  // nullopt if they do not fit

  int size() const { return size_; }  // modules per side, without the quiet zone
  bool is_dark(int x, int y) const { return modules_[index(x, y)]; }

 private:
  explicit QrCode(int version);
  std::size_t index(int x, int y) const {
    return static_cast<std::size_t>(y) * static_cast<std::size_t>(size_) + static_cast<std::size_t>(x);
  }
  void set(int x, int y, bool dark);  // a module of a fixed pattern
  void draw_patterns();
  void draw_square(int x, int y, int reach);  // around its center: dark and light rings
  void draw_format(int mask);
  void draw_version();
  void draw_data(const std::vector<unsigned char>& codewords);
  void apply_mask(int mask);
  int penalty() const;

  const int version_, size_;
  std::vector<bool> modules_, fixed_;
};

// An <svg> with the code in dark on transparent. `label` is its accessible name.
html::Writer qr_svg(const QrCode& code, std::string_view label);

}  // namespace ladder::pages
