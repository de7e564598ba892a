// Pictures in memory, for tests: a word that is drawn with rectangles, as a TIFF file.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ladder::imports::testing {

struct DrawnWord {
  static constexpr int kWidth = 360, kHeight = 160;
  std::vector<unsigned char> pixels = std::vector<unsigned char>(std::size_t{kWidth} * kHeight, 255);

  void box(int left, int top, int width, int height) {
    for (int y = top; y < top + height; ++y) {
      for (int x = left; x < left + width; ++x) pixels[static_cast<std::size_t>(y) * kWidth + static_cast<std::size_t>(x)] = 0;
    }
  }

  static DrawnWord hotel() {
    DrawnWord word;
    int x = 60;
    const auto part = [&](int left, int bottom, int width, int height) {
      word.box(x + left, 105 - bottom - height, width, height);
    };
    const auto stem = [&] { part(0, 0, 8, 50); };
    stem(), part(26, 0, 8, 50), part(0, 21, 34, 8);  // H
    x += 48;
    stem(), part(26, 0, 8, 50), part(0, 0, 34, 8), part(0, 42, 34, 8);  // O
    x += 48;
    part(0, 42, 34, 8), part(13, 0, 8, 50);  // T
    x += 48;
    stem(), part(0, 0, 30, 8), part(0, 21, 26, 8), part(0, 42, 30, 8);  // E
    x += 44;
    stem(), part(0, 0, 30, 8);  // L
    return word;
  }
};

// A gray TIFF file without compression; each page has the same pixels.
inline std::string tiff_of(const DrawnWord& word, int pages = 1) {
  std::string out("II*\0", 4);
  const auto put = [&](std::uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(value >> (8 * i) & 0xFF);
  };
  const std::size_t pixels_at = 8;
  put(pixels_at + word.pixels.size(), 4);
  out.append(word.pixels.begin(), word.pixels.end());
  for (int page = 0; page < pages; ++page) {
    constexpr int kEntries = 8;
    const std::size_t next = out.size() + 2 + kEntries * 12 + 4;
    put(kEntries, 2);
    const auto entry = [&](int tag, std::uint64_t value) {
      put(static_cast<std::uint64_t>(tag), 2), put(4, 2), put(1, 4), put(value, 4);
    };
    entry(256, DrawnWord::kWidth), entry(257, DrawnWord::kHeight), entry(258, 8), entry(259, 1), entry(262, 1);
    entry(273, pixels_at), entry(278, DrawnWord::kHeight), entry(279, word.pixels.size());
    put(page + 1 < pages ? next : 0, 4);
  }
  return out;
}

}  // namespace ladder::imports::testing
