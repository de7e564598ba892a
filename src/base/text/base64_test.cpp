// Encodes and decodes base64, and rejects invalid input.
#include "base/text/base64.h"

#include <gtest/gtest.h>
#include <random>
#include <string>

namespace ladder {
namespace {

TEST(Base64, MatchesTheRfcVectors) {
  const std::pair<std::string_view, std::string_view> vectors[] = {{"", ""},
                                                                   {"f", "Zg=="},
                                                                   {"fo", "Zm8="},
                                                                   {"foo", "Zm9v"},
                                                                   {"foob", "Zm9vYg=="},
                                                                   {"fooba", "Zm9vYmE="},
                                                                   {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : vectors) {
    EXPECT_EQ(base64::encode(bytes), text);
    EXPECT_EQ(base64::decode(text), bytes);
  }
}

TEST(Base64, EveryByteRoundTrips) {
  std::string bytes;
  for (int i = 0; i < 256; ++i) {
    bytes += static_cast<char>(i);
    EXPECT_EQ(base64::decode(base64::encode(bytes)), bytes);
  }
}

TEST(Base64, RejectsIncompleteGroups) {
  for (const char* text : {"Zg", "Zg=", "Zg===", "=Zg=", "Z=g=", "Zh==", "Zm9=", "Zm 9", "Zm9-", "Zm9_", "===="}) {
    EXPECT_FALSE(base64::decode(text)) << text;
  }
}

}  // namespace
}  // namespace ladder

// base64url: the vectors of RFC 4648; no two texts decode to the same bytes.

namespace ladder::base64url {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

TEST(Base64Url, KnownPairs) {
  const struct {
    std::string_view bytes, text;
  } cases[] = {
      {"", ""},
      {"f", "Zg"},
      {"fo", "Zm8"},
      {"foo", "Zm9v"},
      {"foob", "Zm9vYg"},
      {"fooba", "Zm9vYmE"},
      {"foobar", "Zm9vYmFy"},
      {"\xFB\xEF\xBE", "----"},
      {"\xFF\xFF\xFF", "____"},
      {{"\0", 1}, "AA"},
      {{"\0\0", 2}, "AAA"},
      {{"\0\0\0", 3}, "AAAA"},
      {"\xFF", "_w"},
      {"\xFF\xFF", "__8"},
      {"{\"v\":1}", "eyJ2IjoxfQ"},
  };
  for (const auto& [bytes, text] : cases) {
    EXPECT_EQ(encode(bytes), text);
    EXPECT_EQ(decode(text), bytes);
  }
}

TEST(Base64Url, RandomBytesRoundTripInTheAlphabet) {
  std::mt19937 random(2);
  for (std::size_t size = 0; size < 300; ++size) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    const std::string text = encode(bytes);
    EXPECT_EQ(text.find_first_not_of(kAlphabet), std::string::npos);
    EXPECT_EQ(text.size(), (size * 8 + 5) / 6);
    EXPECT_EQ(decode(text), bytes);
  }
}

TEST(Base64Url, RejectsEveryForeignByteAtEveryPosition) {
  for (const std::string_view good : {"Zm9vYmFy", "Zm9vYmE", "Zm9vYg"}) {
    for (std::size_t place = 0; place < good.size(); ++place) {
      for (int byte = 0; byte < 256; ++byte) {
        const char letter = static_cast<char>(byte);
        if (kAlphabet.find(letter) != std::string_view::npos) continue;
        std::string text(good);
        text[place] = letter;
        ASSERT_EQ(decode(text), std::nullopt) << good << " with byte " << byte << " at " << place;
      }
    }
  }
}

TEST(Base64Url, RejectsPaddingWhitespaceAndStandardLetters) {
  for (const std::string_view text :
       {"Zg==", "Zm8=", "Zm9v=", "=", " Zm9v", "Zm9v ", "Zm9v\n", "Zm\n9v", "++++", "////", "Z", "Zm9vY"}) {
    EXPECT_EQ(decode(text), std::nullopt) << text;
  }
}

TEST(Base64Url, EveryShortTextIsCanonicalOrRejected) {
  // With two and with three letters the last one has unused bits; they must be zero.
  int accepted = 0;
  for (const char a : kAlphabet) {
    for (const char b : kAlphabet) {
      const std::string two{a, b};
      if (const auto bytes = decode(two)) {
        EXPECT_EQ(encode(*bytes), two);
        ++accepted;
      }
      for (const char c : kAlphabet) {
        const std::string three{a, b, c};
        if (const auto bytes = decode(three)) {
          EXPECT_EQ(encode(*bytes), three);
          ++accepted;
        }
      }
    }
  }
  EXPECT_EQ(accepted, 256 + 65536);
}

}  // namespace
}  // namespace ladder::base64url
