// UTF-8, processed a word or a block at a time where possible. Continuation bytes are 10xxxxxx; every other byte starts
// a code point, so counting code points is counting non-continuation bytes.
#include "base/text/utf8.h"

#include "base/text/block.h"

#include <algorithm>
#include <cstring>

namespace ladder::utf8 {
namespace {

// Sixteen bytes in one register, compared and added lane by lane; the compiler selects the instructions.
using Lanes [[gnu::vector_size(16)]] = signed char;
constexpr std::size_t kBlock = 4 * sizeof(Lanes);

std::uint8_t byte_at(std::string_view bytes, std::size_t at) { return static_cast<std::uint8_t>(bytes[at]); }
bool is_continuation(std::uint8_t byte) { return (byte & 0xC0) == 0x80; }

// Sets one in every byte of the word that is a continuation byte.
std::uint64_t continuations(std::uint64_t word) { return word >> 7 & ~(word >> 6) & kEveryByte; }

std::uint64_t sum_of_bytes(std::uint64_t word) { return word * kEveryByte >> 56; }  // the sum must be below 256

// A true comparison is -1 in its lane. As signed bytes, exactly 0x80…0xBF are below -64.
[[gnu::always_inline]] inline Lanes continuing_lanes(const char* bytes) {
  Lanes lanes;
  std::memcpy(&lanes, bytes, sizeof lanes);
  return lanes < static_cast<signed char>(-64);
}

[[gnu::always_inline]] inline std::uint64_t block_continuations(const char* block) {
  const Lanes counts = -(continuing_lanes(block) + continuing_lanes(block + sizeof(Lanes)) +
                         continuing_lanes(block + 2 * sizeof(Lanes)) + continuing_lanes(block + 3 * sizeof(Lanes)));
  std::uint64_t words[2];
  static_assert(sizeof words == sizeof counts);
  std::memcpy(words, &counts, sizeof words);
  return sum_of_bytes(words[0] + words[1]);
}

std::size_t skip_ascii(std::string_view bytes, std::size_t at) {
  while (at + kWordBytes <= bytes.size() && (load_word(bytes.data() + at) & kHighBits) == 0) at += kWordBytes;
  while (at < bytes.size() && byte_at(bytes, at) < 0x80) ++at;
  return at;
}

// The length of the valid sequence at `at`, whose first byte is not ASCII; 0 when it is invalid.
std::size_t sequence_length(std::string_view bytes, std::size_t at) {
  const std::uint8_t first = byte_at(bytes, at);
  const std::size_t length = first < 0xC2 ? 0 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : first < 0xF5 ? 4 : 0;
  if (length == 0 || bytes.size() - at < length) return 0;
  // The second byte determines overlong forms, surrogates and the end of Unicode.
  const std::uint8_t second = byte_at(bytes, at + 1);
  const std::uint8_t low = first == 0xE0 ? 0xA0 : first == 0xF0 ? 0x90 : 0x80;
  const std::uint8_t high = first == 0xED ? 0x9F : first == 0xF4 ? 0x8F : 0xBF;
  if (second < low || second > high) return 0;
  for (std::size_t i = 2; i < length; ++i) {
    if (!is_continuation(byte_at(bytes, at + i))) return 0;
  }
  return length;
}

}  // namespace

std::size_t find_invalid(std::string_view bytes) {
  std::size_t at = 0;
  while (at < bytes.size()) {
    if (byte_at(bytes, at) < 0x80) {
      at = skip_ascii(bytes, at);
      continue;
    }
    const std::size_t length = sequence_length(bytes, at);
    if (length == 0) return at;
    at += length;
  }
  return std::string_view::npos;
}

bool is_ascii(std::string_view bytes) { return skip_ascii(bytes, 0) == bytes.size(); }

std::int64_t count(std::string_view valid) {
  std::size_t at = 0;
  std::uint64_t continued = 0;
  for (; at + kBlock <= valid.size(); at += kBlock) continued += block_continuations(valid.data() + at);
  for (; at + kWordBytes <= valid.size(); at += kWordBytes)
    continued += sum_of_bytes(continuations(load_word(valid.data() + at)));
  for (; at < valid.size(); ++at) continued += is_continuation(byte_at(valid, at)) ? 1 : 0;
  return static_cast<std::int64_t>(valid.size() - continued);
}

std::size_t offset_of(std::string_view valid, std::int64_t n) {
  if (n <= 0) return 0;
  if (static_cast<std::uint64_t>(n) >= valid.size()) return valid.size();
  auto left = static_cast<std::uint64_t>(n);  // code points before the target that are not passed yet
  std::size_t at = 0;
  for (; at + kBlock <= valid.size(); at += kBlock) {
    const std::uint64_t starts = kBlock - block_continuations(valid.data() + at);
    if (starts > left) break;
    left -= starts;
  }
  for (; at + kWordBytes <= valid.size(); at += kWordBytes) {
    const std::uint64_t starts = kWordBytes - sum_of_bytes(continuations(load_word(valid.data() + at)));
    if (starts > left) break;
    left -= starts;
  }
  for (; at < valid.size(); ++at) {
    if (is_continuation(byte_at(valid, at))) continue;
    if (left == 0) return at;
    --left;
  }
  return valid.size();
}

std::string_view slice(std::string_view valid, std::int64_t start, std::int64_t length) {
  const std::string_view rest = valid.substr(offset_of(valid, start));
  return rest.substr(0, offset_of(rest, length));
}

void append(std::string& out, char32_t code_point) {
  const bool is_surrogate = code_point >= 0xD800 && code_point <= 0xDFFF;
  const char32_t c = is_surrogate || code_point > 0x10FFFF ? kReplacement : code_point;
  const auto tail = [c](int shift) { return static_cast<char>(0x80 | (c >> shift & 0x3F)); };
  if (c < 0x80) {
    out.push_back(static_cast<char>(c));
  } else if (c < 0x800) {
    const char bytes[] = {static_cast<char>(0xC0 | c >> 6), tail(0)};
    out.append(bytes, sizeof bytes);
  } else if (c < 0x10000) {
    const char bytes[] = {static_cast<char>(0xE0 | c >> 12), tail(6), tail(0)};
    out.append(bytes, sizeof bytes);
  } else {
    const char bytes[] = {static_cast<char>(0xF0 | c >> 18), tail(12), tail(6), tail(0)};
    out.append(bytes, sizeof bytes);
  }
}

std::u32string decode(std::string_view valid) {
  std::u32string code_points;
  code_points.reserve(static_cast<std::size_t>(std::max<std::int64_t>(count(valid), 0)));
  for (std::size_t at = 0; at < valid.size();) code_points.push_back(next(valid, at));
  return code_points;
}

std::string encode(std::u32string_view code_points) {
  std::string out;
  out.reserve(code_points.size());
  for (const char32_t code_point : code_points) append(out, code_point);
  return out;
}

}  // namespace ladder::utf8
