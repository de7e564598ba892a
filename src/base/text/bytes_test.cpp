// Integers and hexadecimal digits in byte strings.
#include "base/text/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <limits>
#include <random>
#include <string>

namespace ladder {
namespace {

constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();

TEST(BigEndian, RoundTripsAndSortsLikeTheNumbers) {
  const std::uint64_t numbers[] = {0,   1, 0x7F, 0x80, 0xFF, 0x100, 0xFFFF, 0x10000, 0x0102030405060708, kMax / 2, kMax / 2 + 1,
                                   kMax};
  std::string before;
  for (const std::uint64_t number : numbers) {
    std::string bytes;
    put_u64_be(bytes, number);
    ASSERT_EQ(bytes.size(), 8u);
    EXPECT_EQ(get_u64_be(bytes), number);
    EXPECT_LT(before, bytes) << number;
    before = bytes;
  }
  std::string bytes = "x";
  put_u64_be(bytes, 0x0102030405060708);
  EXPECT_EQ(bytes, "x\1\2\3\4\5\6\7\x8") << "appends, highest byte first";
  EXPECT_EQ(get_u64_be("\1\2\3\4\5\6\7\x8 and more"), 0x0102030405060708u);
}

TEST(Varint, WritesTheShortestForm) {
  const struct {
    std::uint64_t number;
    std::string bytes;
  } cases[] = {
      {0, std::string(1, '\0')}, {1, "\x01"},         {127, "\x7F"},           {128, "\x80\x01"},
      {300, "\xAC\x02"},         {16383, "\xFF\x7F"}, {16384, "\x80\x80\x01"}, {kMax, "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x01"},
  };
  for (const auto& [number, bytes] : cases) {
    std::string written;
    put_varint(written, number);
    EXPECT_EQ(written, bytes) << number;
    std::size_t at = 0;
    EXPECT_EQ(get_varint(bytes, at), number);
    EXPECT_EQ(at, bytes.size());
  }
}

TEST(Varint, ReadsASequence) {
  std::mt19937_64 random(1);
  std::vector<std::uint64_t> numbers;
  std::string bytes;
  for (int i = 0; i < 2000; ++i) {
    numbers.push_back(random() >> random() % 64);
    put_varint(bytes, numbers.back());
  }
  std::size_t at = 0;
  for (const std::uint64_t number : numbers) ASSERT_EQ(get_varint(bytes, at), number);
  EXPECT_EQ(at, bytes.size());
  EXPECT_EQ(get_varint(bytes, at), std::nullopt) << "no bytes are left";
}

TEST(Varint, RejectsTruncatedAndTooLarge) {
  const std::string bad[] = {
      "",
      "\x80",
      "\xFF\xFF",
      "\x80\x80\x80\x80\x80\x80\x80\x80\x80",
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x02",      // bit 64
      "\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\xFF\x81\x01",  // eleven bytes
      std::string("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", 11),
  };
  for (const std::string& bytes : bad) {
    std::size_t at = 0;
    EXPECT_EQ(get_varint(bytes, at), std::nullopt) << to_hex(bytes);
    EXPECT_EQ(at, 0u) << "a failed read does not move the position";
  }
  std::size_t beyond = 9;
  EXPECT_EQ(get_varint("abc", beyond), std::nullopt);
}

TEST(Hex, RoundTrips) {
  std::string every;
  for (int i = 0; i < 256; ++i) every.push_back(static_cast<char>(i));
  EXPECT_EQ(to_hex(std::string_view("\x00\x0f\xf0\xff", 4)), "000ff0ff");
  EXPECT_EQ(from_hex(to_hex(every)), every);
  EXPECT_EQ(from_hex(""), "");
  EXPECT_EQ(from_hex("DeadBEEF"), "\xDE\xAD\xBE\xEF");
}

TEST(Hex, RejectsInvalidDigits) {
  for (const std::string_view text : {"a", "abc", "0g", "g0", " 0", "0x", "ab ", "a\xC3", "-1", "/0", ":0", "@0", "`0"}) {
    EXPECT_EQ(from_hex(text), std::nullopt) << text;
  }
  EXPECT_EQ(from_hex(std::string_view("0\0", 2)), std::nullopt);
}

// Digits are decoded in groups of eight, the rest one by one: each character means the same at every position.
TEST(Hex, DecodesEveryCharacterTheSameAtEveryPosition) {
  constexpr std::string_view kDigits = "0123456789abcdefABCDEF";
  for (int c = 0; c < 256; ++c) {
    const std::size_t digit = kDigits.find(static_cast<char>(c));
    for (std::size_t place = 0; place < 20; ++place) {
      std::string hex(20, '5');
      hex[place] = static_cast<char>(c);
      const auto bytes = from_hex(hex);
      ASSERT_EQ(bytes.has_value(), digit != std::string_view::npos) << c << " at " << place;
      if (!bytes) continue;
      const int value = static_cast<int>(digit < 16 ? digit : digit - 6);
      std::string expected(10, '\x55');
      expected[place / 2] = static_cast<char>(place % 2 == 0 ? value << 4 | 5 : 5 << 4 | value);
      EXPECT_EQ(*bytes, expected) << c << " at " << place;
    }
  }
}

TEST(Hex, FillsExactlyTheRequestedBytes) {
  std::array<unsigned char, 5> bytes{};
  EXPECT_TRUE(from_hex("0102030405", bytes));
  EXPECT_EQ(bytes, (std::array<unsigned char, 5>{1, 2, 3, 4, 5}));
  EXPECT_FALSE(from_hex("01020304", bytes));
  EXPECT_FALSE(from_hex("010203040506", bytes));
  EXPECT_FALSE(from_hex("010203040x", bytes));
}

// These values are in every store and must never change.
TEST(Checksum, MatchesStoredValues) {
  EXPECT_EQ(Checksum().add("").value(), 0x2D06800538D394C2U) << "XXH3 of nothing, by its specification";
  const std::uint64_t row = Checksum().add(std::int64_t{-2}).add("a record").value();
  EXPECT_EQ(row, Checksum().add(std::int64_t{-2}).add("a record").value());
}

TEST(Checksum, DetectsEveryBitAndPartBoundary) {
  std::string text(5000, 'x');
  const std::uint64_t whole = Checksum().add(text).value();
  for (std::size_t at = 0; at < text.size(); at += 7) {
    for (int bit = 0; bit < 8; ++bit) {
      text[at] = static_cast<char>(text[at] ^ 1 << bit);
      EXPECT_NE(Checksum().add(text).value(), whole);
      text[at] = static_cast<char>(text[at] ^ 1 << bit);
    }
  }
  EXPECT_NE(Checksum().add("ab").add("c").value(), Checksum().add("a").add("bc").value());
  EXPECT_NE(Checksum().add(std::int64_t{1}).value(), Checksum().add(std::int64_t{256}).value());
}

TEST(Sized, TextsCanBeConcatenated) {
  std::string bytes;
  const std::string long_text(300, 'x');
  for (const std::string& text : {std::string("a"), std::string(), long_text}) put_sized(bytes, text);
  std::size_t at = 0;
  EXPECT_EQ(get_sized(bytes, at), "a");
  EXPECT_EQ(get_sized(bytes, at), "");
  EXPECT_EQ(get_sized(bytes, at), long_text);
  EXPECT_EQ(get_sized(bytes, at), std::nullopt) << "no bytes are left";
  at = 0;
  EXPECT_EQ(get_sized("\x05"
                      "abc",
                      at),
            std::nullopt)
      << "truncated";
}

}  // namespace
}  // namespace ladder
