// Compares UTF-8 functions with the tables of the Unicode standard and with a decoder that takes one byte at a time.
#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <array>
#include <random>
#include <string>
#include <vector>

namespace ladder::utf8 {
namespace {

constexpr std::size_t kValid = std::string_view::npos;

// The standard's definition, bit by bit: the length of the sequence at `at`, or 0. Slow and obvious.
std::size_t naive_length(std::string_view bytes, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned>(static_cast<unsigned char>(bytes[i])); };
  const unsigned first = byte(at);
  const std::size_t length = first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
  if (length == 0 || at + length > bytes.size()) return 0;
  char32_t code_point = length == 1 ? first : first & (0x7Fu >> length);
  for (std::size_t i = 1; i < length; ++i) {
    if (byte(at + i) >> 6 != 2) return 0;
    code_point = code_point << 6 | (byte(at + i) & 0x3F);
  }
  constexpr char32_t kSmallest[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool allowed =
      code_point >= kSmallest[length] && code_point <= 0x10FFFF && !(code_point >= 0xD800 && code_point <= 0xDFFF);
  return allowed ? length : 0;
}

std::size_t naive_find_invalid(std::string_view bytes) {
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t length = naive_length(bytes, at);
    if (length == 0) return at;
    at += length;
  }
  return kValid;
}

// The byte offsets of all code points, and the size.
std::vector<std::size_t> naive_offsets(std::string_view valid) {
  std::vector<std::size_t> offsets;
  for (std::size_t at = 0; at < valid.size(); at += naive_length(valid, at)) offsets.push_back(at);
  offsets.push_back(valid.size());
  return offsets;
}

char32_t random_code_point(std::mt19937& random, unsigned kinds) {
  constexpr std::array<std::pair<char32_t, char32_t>, 5> kRanges = {
      {{0, 0x7F}, {0x80, 0x7FF}, {0x800, 0xD7FF}, {0xE000, 0xFFFF}, {0x10000, 0x10FFFF}}};
  const auto& [low, high] = kRanges[random() % kinds];
  return low + static_cast<char32_t>(random()) % (high - low + 1);
}

std::string random_text(std::mt19937& random, std::size_t chars, unsigned kinds) {
  std::string text;
  for (std::size_t i = 0; i < chars; ++i) append(text, random_code_point(random, kinds));
  return text;
}

TEST(Utf8Validation, KnownBadSequences) {
  const struct {
    std::string_view name, bytes;
    std::size_t at;
  } cases[] = {
      {"lone continuation", "a\x80", 1},
      {"lone last continuation", "\xBF", 0},
      {"overlong NUL", {"\xC0\x80", 2}, 0},
      {"overlong DEL", "\xC1\xBF", 0},
      {"overlong three-byte NUL", "\xE0\x80\x80", 0},
      {"overlong U+07FF", "\xE0\x9F\xBF", 0},
      {"overlong U+FFFF", "\xF0\x8F\xBF\xBF", 0},
      {"overlong four-byte NUL", "\xF0\x80\x80\x80", 0},
      {"first high surrogate", "\xED\xA0\x80", 0},
      {"last low surrogate", "\xED\xBF\xBF", 0},
      {"surrogate pair", "\xED\xA0\xBD\xED\xB8\x80", 0},
      {"U+110000", "\xF4\x90\x80\x80", 0},
      {"lead F5", "\xF5\x80\x80\x80", 0},
      {"five bytes", "\xF8\x88\x80\x80\x80", 0},
      {"six bytes", "\xFC\x84\x80\x80\x80\x80", 0},
      {"FE", "\xFE", 0},
      {"FF", "abcdefgh\xFF", 8},
      {"two of two missing", "x\xC3", 1},
      {"one of three", "\xE2", 0},
      {"two of three", "ok\xE2\x82", 2},
      {"one of four", "\xF0", 0},
      {"two of four", "\xF0\x9F", 0},
      {"three of four", "12345678\xF0\x9F\x98", 8},
      {"two-byte lead then ASCII", "\xC3(", 0},
      {"three-byte lead then ASCII", "\xE2\x28\xA1", 0},
      {"three-byte, third ASCII", "\xE2\x82(", 0},
      {"four-byte, third ASCII", "\xF0\x9F(\x80", 0},
      {"four-byte, fourth ASCII", "\xF0\x9F\x98(", 0},
      {"three-byte cut by another lead", "\xE2\x82\xC3\xA9", 0},
      {"too many continuations", "\xC3\xA9\xA9", 2},
      {"after good text", "gr\xC3\xBC\xC3\x9F \xF0\x9F\x98\x80 \xC0", 12},
  };
  for (const auto& [name, bytes, at] : cases) {
    EXPECT_EQ(find_invalid(bytes), at) << name;
    EXPECT_FALSE(is_valid(bytes)) << name;
  }
}

TEST(Utf8Validation, EveryBoundaryIsValid) {
  for (const char32_t c :
       {0x0u,    0x1u,    0x7Fu,   0x80u,   0x7FFu,   0x800u,   0xFFFu,   0x1000u,  0xCFFFu,   0xD7FFu,  0xE000u,
        0xFDD0u, 0xFFFDu, 0xFFFEu, 0xFFFFu, 0x10000u, 0x3FFFFu, 0x40000u, 0xFFFFFu, 0x100000u, 0x10FFFFu}) {
    std::string text;
    append(text, c);
    EXPECT_TRUE(is_valid(text)) << std::hex << static_cast<unsigned>(c);
    EXPECT_EQ(count(text), 1);
    std::size_t at = 0;
    EXPECT_EQ(next(text, at), c);
    EXPECT_EQ(at, text.size());
  }
  EXPECT_TRUE(is_valid(""));
  EXPECT_TRUE(is_valid(std::string(1000, '\0'))) << "NUL is a code point like any other";
}

TEST(Utf8Validation, EveryCodePointEncodesOneWayAndBack) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) {
    if (c == 0xD800) c = 0xE000;
    std::string text;
    append(text, c);
    ASSERT_EQ(naive_length(text, 0), text.size()) << static_cast<unsigned>(c);
    ASSERT_EQ(find_invalid(text), kValid) << static_cast<unsigned>(c);
    std::size_t at = 0;
    ASSERT_EQ(next(text, at), c);
    ASSERT_EQ(at, text.size());
  }
}

TEST(Utf8Validation, EveryTwoByteStringAndManyLongerAgreeWithTheDefinition) {
  for (unsigned first = 0; first < 256; ++first) {
    for (unsigned second = 0; second < 256; ++second) {
      const std::string two{static_cast<char>(first), static_cast<char>(second)};
      ASSERT_EQ(find_invalid(two), naive_find_invalid(two)) << first << ' ' << second;
      // The limits of the later bytes, after every lead byte.
      for (const char third : {'\x7F', '\x80', '\xBF', '\xC0'}) {
        const std::string three = two + third;
        ASSERT_EQ(find_invalid(three), naive_find_invalid(three));
        for (const char fourth : {'\x7F', '\x80', '\xBF', '\xC0'}) {
          const std::string four = three + fourth;
          ASSERT_EQ(find_invalid(four), naive_find_invalid(four));
        }
      }
    }
  }
}

TEST(Utf8Validation, FindsAnInvalidByteAnywhere) {
  std::mt19937 random(4);
  for (int round = 0; round < 4000; ++round) {
    std::string text = random_text(random, random() % 60, 1 + static_cast<unsigned>(random() % 5));
    if (!text.empty() && round % 4 != 0) text[random() % text.size()] = static_cast<char>(random());
    ASSERT_EQ(find_invalid(text), naive_find_invalid(text));
    if (!text.empty()) {
      const std::string_view cut = std::string_view(text).substr(0, random() % text.size());
      ASSERT_EQ(find_invalid(cut), naive_find_invalid(cut));
    }
  }
}

TEST(Utf8Ascii, DetectsAHighByteAtEveryPosition) {
  for (std::size_t size = 0; size < 40; ++size) {
    std::string text(size, '~');
    EXPECT_TRUE(is_ascii(text));
    for (std::size_t at = 0; at < size; ++at) {
      text[at] = '\x80';
      EXPECT_FALSE(is_ascii(text)) << at << " of " << size;
      EXPECT_EQ(find_invalid(text), at);
      text[at] = '\x7F';
    }
  }
}

TEST(Utf8Walking, AgreesWithOneByteAtATimeOnRandomText) {
  std::mt19937 random(5);
  for (int round = 0; round < 400; ++round) {
    const std::string text = random_text(random, random() % 200, 1 + static_cast<unsigned>(random() % 5));
    const std::vector<std::size_t> offsets = naive_offsets(text);
    const auto chars = static_cast<std::int64_t>(offsets.size() - 1);
    ASSERT_EQ(count(text), chars);
    for (std::int64_t n = 0; n <= chars; ++n) ASSERT_EQ(offset_of(text, n), offsets[static_cast<std::size_t>(n)]);
    for (int i = 0; i < 50; ++i) {
      const std::int64_t start = static_cast<std::int64_t>(random() % 220), length = static_cast<std::int64_t>(random() % 220);
      const std::size_t from = offsets[static_cast<std::size_t>(std::min(start, chars))];
      const std::size_t to = offsets[static_cast<std::size_t>(std::min(start + length, chars))];
      ASSERT_EQ(slice(text, start, length), std::string_view(text).substr(from, to - from));
    }
    const std::u32string code_points = decode(text);
    ASSERT_EQ(static_cast<std::int64_t>(code_points.size()), chars);
    ASSERT_EQ(encode(code_points), text);
  }
}

TEST(Utf8Walking, LongTextOfEachWidth) {
  for (const std::string_view unit : {"x", "\xC3\xA9", "\xE2\x82\xAC", "\xF0\x9F\x98\x80"}) {
    std::string text;
    for (int i = 0; i < 10'000; ++i) text += unit;
    EXPECT_EQ(count(text), 10'000);
    for (const std::int64_t n : {1, 7, 8, 31, 32, 33, 255, 256, 4095, 9'999, 10'000}) {
      EXPECT_EQ(offset_of(text, n), static_cast<std::size_t>(n) * unit.size());
    }
  }
}

TEST(Utf8Walking, OutOfRangeArgumentsAreClamped) {
  const std::string_view text = "a\xC3\xA9z";
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t kLeast = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(offset_of(text, 3), 4u);
  EXPECT_EQ(offset_of(text, 4), 4u);
  EXPECT_EQ(offset_of(text, kMax), 4u);
  EXPECT_EQ(offset_of(text, -1), 0u);
  EXPECT_EQ(offset_of(text, kLeast), 0u);
  EXPECT_EQ(offset_of("", 0), 0u);
  EXPECT_EQ(offset_of("", 5), 0u);
  EXPECT_EQ(slice(text, 1, kMax), "\xC3\xA9z");
  EXPECT_EQ(slice(text, 1, 0), "");
  EXPECT_EQ(slice(text, 1, -1), "");
  EXPECT_EQ(slice(text, 3, 1), "");
  EXPECT_EQ(slice(text, kMax, kMax), "");
  EXPECT_EQ(slice(text, kLeast, 1), "a");
  EXPECT_EQ(count(""), 0);
}

TEST(Utf8Walking, NulIsCountedAndKept) {
  const std::string text("a\0\0b\0", 5);
  EXPECT_EQ(count(text), 5);
  EXPECT_EQ(slice(text, 1, 3), std::string_view("\0\0b", 3));
  EXPECT_EQ(decode(text), std::u32string(U"a\0\0b\0", 5));
}

TEST(Utf8Walking, AnyBytesStayInBounds) {
  std::mt19937 random(6);
  for (int round = 0; round < 3000; ++round) {
    // Allocated without slack, so that the address sanitizer detects reads past the end.
    std::vector<char> bytes(1 + random() % 60);
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::string_view text(bytes.data(), bytes.size());
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t before = at;
      next(text, at);
      ASSERT_GT(at, before);
      ASSERT_LE(at, text.size());
    }
    ASSERT_LE(count(text), static_cast<std::int64_t>(text.size()));
    ASSERT_LE(decode(text).size(), text.size());
    for (std::int64_t n = 0; n < 62; ++n) {
      ASSERT_LE(offset_of(text, n), text.size());
      ASSERT_LE(slice(text, n, 3).size(), text.size());
    }
  }
}

TEST(Utf8Append, InvalidCodePointsBecomeTheReplacement) {
  for (const char32_t bad : {0xD800u, 0xDBFFu, 0xDC00u, 0xDFFFu, 0x110000u, 0xFFFFFFFFu}) {
    std::string text = "x";
    append(text, bad);
    EXPECT_EQ(text, "x\xEF\xBF\xBD");
  }
  EXPECT_EQ(encode(std::u32string{0x61, 0xD83D, 0x1F600}), "a\xEF\xBF\xBD\xF0\x9F\x98\x80");
}

}  // namespace
}  // namespace ladder::utf8
