#include "pages/qr_code.h"

#include "base/text/format.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <string>

namespace ladder::pages {
namespace {

using Bytes = std::vector<unsigned char>;

// The blocks of a version at level M: `blocks` of them have `data` codewords, and `longer` more have one more.
struct Blocks {
  int check, blocks, data, longer;
};
constexpr std::array<Blocks, 10> kBlocks = {{{10, 1, 16, 0},
                                             {16, 1, 28, 0},
                                             {26, 1, 44, 0},
                                             {18, 2, 32, 0},
                                             {24, 2, 43, 0},
                                             {16, 4, 27, 0},
                                             {18, 4, 31, 0},
                                             {22, 2, 38, 2},
                                             {22, 3, 36, 2},
                                             {26, 4, 43, 1}}};
constexpr int kMasks = 8;

// By version, from 1 on.
constexpr int kLeastModules = 21;
constexpr std::array<html::Markup, 10> kViewBoxes = {" viewBox=\"0 0 21 21\"", " viewBox=\"0 0 25 25\"", " viewBox=\"0 0 29 29\"",
                                                     " viewBox=\"0 0 33 33\"", " viewBox=\"0 0 37 37\"", " viewBox=\"0 0 41 41\"",
                                                     " viewBox=\"0 0 45 45\"", " viewBox=\"0 0 49 49\"", " viewBox=\"0 0 53 53\"",
                                                     " viewBox=\"0 0 57 57\""};

const Blocks& blocks_of(int version) { return kBlocks[static_cast<std::size_t>(version - 1)]; }

int data_codewords(int version) {
  const Blocks& its = blocks_of(version);
  return its.blocks * its.data + its.longer * (its.data + 1);
}

// Multiplies in GF(256) with the polynomial x^8 + x^4 + x^3 + x^2 + 1.
unsigned char multiply(unsigned char a, unsigned char b) {
  unsigned result = 0;
  for (int bit = 7; bit >= 0; --bit) {
    result = (result << 1) ^ ((result >> 7) * 0x11D);
    result ^= ((b >> bit) & 1U) * a;
  }
  return static_cast<unsigned char>(result);
}

// The coefficients of the generator polynomial, without the leading 1.
Bytes generator(int degree) {
  Bytes out(static_cast<std::size_t>(degree), 0);
  out.back() = 1;
  unsigned char root = 1;
  for (int i = 0; i < degree; ++i) {
    for (std::size_t j = 0; j < out.size(); ++j) {
      out[j] = multiply(out[j], root);
      if (j + 1 < out.size()) out[j] ^= out[j + 1];
    }
    root = multiply(root, 2);
  }
  return out;
}

Bytes check_codewords(const Bytes& data, const Bytes& divisor) {
  Bytes rest(divisor.size(), 0);
  for (const unsigned char byte : data) {
    const unsigned char factor = byte ^ rest.front();
    rest.erase(rest.begin());
    rest.push_back(0);
    for (std::size_t i = 0; i < rest.size(); ++i) rest[i] ^= multiply(divisor[i], factor);
  }
  return rest;
}

// Mode, length, bytes and padding.
Bytes data_of(std::string_view bytes, int version) {
  std::vector<bool> bits;
  const auto add = [&](std::size_t value, int count) {
    for (int bit = count - 1; bit >= 0; --bit) bits.push_back(((value >> bit) & 1U) != 0);
  };
  constexpr std::size_t kByteMode = 4, kPadding = 0xEC, kOtherPadding = 0x11;
  add(kByteMode, 4);
  add(bytes.size(), version < 10 ? 8 : 16);
  for (const char c : bytes) add(static_cast<unsigned char>(c), 8);
  const std::size_t room = static_cast<std::size_t>(data_codewords(version)) * 8;
  for (int i = 0; i < 4 && bits.size() < room; ++i) bits.push_back(false);
  while (bits.size() % 8 != 0) bits.push_back(false);
  for (bool other = false; bits.size() < room; other = !other) add(other ? kOtherPadding : kPadding, 8);
  Bytes out(bits.size() / 8, 0);
  for (std::size_t i = 0; i < bits.size(); ++i) out[i / 8] = static_cast<unsigned char>(out[i / 8] << 1 | (bits[i] ? 1 : 0));
  return out;
}

// Splits the data into blocks, adds check codewords to each, and interleaves them.
Bytes interleaved(const Bytes& data, int version) {
  const Blocks& its = blocks_of(version);
  const Bytes divisor = generator(its.check);
  std::vector<Bytes> blocks, checks;
  for (auto at = data.begin(); at != data.end();) {
    const int length = its.data + (std::ssize(blocks) >= its.blocks ? 1 : 0);
    blocks.emplace_back(at, at + length);
    checks.push_back(check_codewords(blocks.back(), divisor));
    at += length;
  }
  Bytes out;
  const auto mix = [&](const std::vector<Bytes>& parts) {
    for (std::size_t i = 0; i < parts.back().size(); ++i) {
      for (const Bytes& part : parts) {
        if (i < part.size()) out.push_back(part[i]);
      }
    }
  };
  mix(blocks);
  mix(checks);
  return out;
}

// Appends the remainder of a BCH code to a value.
unsigned with_check(unsigned value, int check_bits, unsigned polynomial) {
  unsigned rest = value;
  for (int i = 0; i < check_bits; ++i) rest = (rest << 1) ^ ((rest >> (check_bits - 1)) * polynomial);
  return value << check_bits | rest;
}

bool is_masked(int mask, int x, int y) {
  switch (mask) {
    case 0:
      return (x + y) % 2 == 0;
    case 1:
      return y % 2 == 0;
    case 2:
      return x % 3 == 0;
    case 3:
      return (x + y) % 3 == 0;
    case 4:
      return (x / 3 + y / 2) % 2 == 0;
    case 5:
      return x * y % 2 + x * y % 3 == 0;
    case 6:
      return (x * y % 2 + x * y % 3) % 2 == 0;
    default:
      return ((x + y) % 2 + x * y % 3) % 2 == 0;
  }
}

}  // namespace

QrCode::QrCode(int version)
    : version_(version),
      size_(17 + 4 * version),
      modules_(static_cast<std::size_t>(size_) * static_cast<std::size_t>(size_)),
      fixed_(modules_.size()) {}

std::optional<QrCode> QrCode::of(std::string_view bytes) {
  int version = 1;
  const auto room = [&] { return static_cast<std::size_t>(data_codewords(version)) - (version < 10 ? 2 : 3); };
  while (room() < bytes.size()) {
    if (++version > static_cast<int>(kBlocks.size())) return std::nullopt;
  }
  QrCode code(version);
  code.draw_patterns();
  code.draw_data(interleaved(data_of(bytes, version), version));
  int best = 0, least = -1;
  for (int mask = 0; mask < kMasks; ++mask) {
    code.apply_mask(mask);
    code.draw_format(mask);
    if (const int penalty = code.penalty(); least < 0 || penalty < least) {
      best = mask;
      least = penalty;
    }
    code.apply_mask(mask);  // a second time undoes it
  }
  code.apply_mask(best);
  code.draw_format(best);
  return code;
}

void QrCode::set(int x, int y, bool dark) {
  modules_[index(x, y)] = dark;
  fixed_[index(x, y)] = true;
}

void QrCode::draw_square(int x, int y, int reach) {
  for (int dy = -reach; dy <= reach; ++dy) {
    for (int dx = -reach; dx <= reach; ++dx) {
      const int ring = std::max(std::abs(dx), std::abs(dy));
      if (x + dx < 0 || x + dx >= size_ || y + dy < 0 || y + dy >= size_) continue;
      set(x + dx, y + dy, reach == 2 ? ring != 1 : ring != 2 && ring != 4);
    }
  }
}

void QrCode::draw_patterns() {
  for (int i = 0; i < size_; ++i) {
    set(6, i, i % 2 == 0);
    set(i, 6, i % 2 == 0);
  }
  draw_square(3, 3, 4);
  draw_square(size_ - 4, 3, 4);
  draw_square(3, size_ - 4, 4);
  std::vector<int> centers;
  if (version_ > 1) centers = {6, size_ - 7};
  if (version_ > 6) centers.insert(centers.begin() + 1, size_ / 2);
  for (const int x : centers) {
    for (const int y : centers) {
      const bool is_corner = (x == 6 && y == 6) || (x == 6 && y == size_ - 7) || (x == size_ - 7 && y == 6);
      if (!is_corner) draw_square(x, y, 2);
    }
  }
  draw_format(0);  // reserves its modules
  draw_version();
}

void QrCode::draw_format(int mask) {
  constexpr unsigned kLevelM = 0, kPolynomial = 0x537, kFormatMask = 0x5412;
  const unsigned bits = with_check(kLevelM << 3 | static_cast<unsigned>(mask), 10, kPolynomial) ^ kFormatMask;
  const auto bit = [&](int i) { return ((bits >> i) & 1U) != 0; };
  for (int i = 0; i < 6; ++i) set(8, i, bit(i));
  set(8, 7, bit(6));
  set(8, 8, bit(7));
  set(7, 8, bit(8));
  for (int i = 9; i < 15; ++i) set(14 - i, 8, bit(i));
  for (int i = 0; i < 8; ++i) set(size_ - 1 - i, 8, bit(i));
  for (int i = 8; i < 15; ++i) set(8, size_ - 15 + i, bit(i));
  set(8, size_ - 8, true);
}

void QrCode::draw_version() {
  if (version_ < 7) return;
  constexpr unsigned kPolynomial = 0x1F25;
  const unsigned bits = with_check(static_cast<unsigned>(version_), 12, kPolynomial);
  for (int i = 0; i < 18; ++i) {
    const bool dark = ((bits >> i) & 1U) != 0;
    set(size_ - 11 + i % 3, i / 3, dark);
    set(i / 3, size_ - 11 + i % 3, dark);
  }
}

// Fills columns of two modules from right to left, alternately up and down.
void QrCode::draw_data(const Bytes& codewords) {
  std::size_t bit = 0;
  for (int right = size_ - 1; right >= 1; right -= 2) {
    if (right == 6) right = 5;
    for (int step = 0; step < size_; ++step) {
      for (int x = right; x > right - 2; --x) {
        const bool is_up = ((right + 1) & 2) == 0;
        const int y = is_up ? size_ - 1 - step : step;
        if (fixed_[index(x, y)] || bit >= codewords.size() * 8) continue;
        modules_[index(x, y)] = ((codewords[bit / 8] >> (7 - bit % 8)) & 1) != 0;
        ++bit;
      }
    }
  }
}

void QrCode::apply_mask(int mask) {
  for (int y = 0; y < size_; ++y) {
    for (int x = 0; x < size_; ++x) {
      if (!fixed_[index(x, y)] && is_masked(mask, x, y)) modules_[index(x, y)] = !modules_[index(x, y)];
    }
  }
}

// The rules of the standard: long runs, blocks of one color, patterns like the corners, and an uneven share of dark modules.
int QrCode::penalty() const {
  int sum = 0, dark = 0;
  for (const bool by_rows : {true, false}) {
    for (int line = 0; line < size_; ++line) {
      int run = 0;
      bool last = false;
      unsigned window = 0;
      for (int i = 0; i < size_; ++i) {
        const bool now = by_rows ? is_dark(i, line) : is_dark(line, i);
        run = i > 0 && now == last ? run + 1 : 1;
        last = now;
        if (run == 5) sum += 3;
        if (run > 5) ++sum;
        window = (window << 1 | (now ? 1U : 0U)) & 0x7FFU;
        if (i >= 10 && (window == 0x5D0 || window == 0x05D)) sum += 40;
      }
    }
  }
  for (int y = 0; y < size_; ++y) {
    for (int x = 0; x < size_; ++x) {
      dark += is_dark(x, y) ? 1 : 0;
      if (x == 0 || y == 0) continue;
      const bool color = is_dark(x, y);
      if (color == is_dark(x - 1, y) && color == is_dark(x, y - 1) && color == is_dark(x - 1, y - 1)) sum += 3;
    }
  }
  return sum + std::abs(dark * 20 - size_ * size_ * 10) / (size_ * size_) * 10;
}

html::Writer qr_svg(const QrCode& code, std::string_view label) {
  std::string path;
  for (int y = 0; y < code.size(); ++y) {
    for (int x = 0; x < code.size();) {
      int end = x;
      while (end < code.size() && code.is_dark(end, y)) ++end;
      if (end > x) path += format("M{} {}h{}v1h-{}z", x, y, end - x, end - x);
      x = std::max(end, x + 1);
    }
  }
  html::Writer out;
  out << html::Markup("<svg role=\"img\" shape-rendering=\"crispEdges\"")
      << kViewBoxes[static_cast<std::size_t>((code.size() - kLeastModules) / 4)] << html::Attribute("aria-label", label)
      << html::Markup("><path fill=\"#111\"") << html::Attribute("d", path) << html::Markup("/></svg>");
  return out;
}

}  // namespace ladder::pages
