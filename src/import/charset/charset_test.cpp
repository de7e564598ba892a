#include "base/text/format.h"
#include "base/text/utf8.h"
#include "import/charset/encoding.h"
#include "import/charset/read_text.h"

#include <gtest/gtest.h>

namespace ladder::imports::charset {
namespace {

std::string name_of(std::string_view label) {
  const Encoding* found = find_encoding(label);
  return found == nullptr ? "none" : found->name;
}

TEST(CharsetLabels, FollowTheEncodingStandard) {
  EXPECT_EQ(name_of("Latin1"), "windows-1252");
  EXPECT_EQ(name_of(" ISO-8859-1 "), "windows-1252");
  EXPECT_EQ(name_of("\"iso-8859-9\""), "windows-1254");
  EXPECT_EQ(name_of("gb2312"), "gbk");
  EXPECT_EQ(name_of("ks_c_5601-1987"), "euc-kr");
  EXPECT_EQ(name_of("x-sjis"), "shift_jis");
  EXPECT_EQ(name_of("x-x-big5"), "big5");
  EXPECT_EQ(name_of("x-cp1251"), "windows-1251");
  EXPECT_EQ(name_of("x-mac-roman"), "macintosh");
  EXPECT_EQ(name_of("tis-620"), "windows-874");
  EXPECT_EQ(name_of("utf-8*de"), "utf-8");
  // Names that only ICU knows, and unknown names.
  EXPECT_EQ(name_of("ISO8859_2"), "iso-8859-2");
  EXPECT_NE(name_of("cp437"), "none");
  for (const char* label : {"", "x-unknown", "unknown-8bit", "../../etc", "utf-8,swaplfnl", "iso-8859-12"})
    EXPECT_EQ(name_of(label), "none") << label;
}

Decoded decoded(std::string_view bytes, std::string_view label) { return decode(bytes, *find_encoding(label)); }

TEST(CharsetDecode, DiffersFromIcuWhereTheStandardDoes) {
  EXPECT_EQ(decoded("\x80", "gb2312").text, "€");
  EXPECT_EQ(decoded("\xA3\xA0", "gbk").text, "\u3000");
  EXPECT_EQ(decoded("\xCA", "windows-1255").text, "\u05BA");
  EXPECT_EQ(decoded("\x88\x62\x88\xA5\x8E\x69\xA3\xC0\x88\x40", "big5").text, "Ê\u0304ê\u030C\u7BB8\u2400\u31C0");
  EXPECT_EQ(decoded("a\x1A\x1C\x7F", "shift_jis").text, "a\x1A\x1C\x7F");
  EXPECT_EQ(decoded("a\x1A\x1C\x7F", "ibm866").text, "a\x1A\x1C\x7F");
  EXPECT_EQ(decoded("\xAA\xDE\xFE", "iso-8859-16").text, "ȘȚț");
  EXPECT_EQ(decoded("\x1B$B-!|b\x1B(I1\x1B(B.", "iso-2022-jp").text, "①髙ｱ.");
  EXPECT_EQ(decoded("~{<:Ky2;~}.", "hz-gb-2312").text, "己所不.");
  const Decoded broken = decoded("\xB0\xA1\xFF\xB0", "euc-kr");
  EXPECT_EQ(broken.text, "가\uFFFD\uFFFD");
  EXPECT_EQ(broken.errors, 2U);
}

// Every pair of bytes, in every encoding, decodes to valid UTF-8, and ASCII is unchanged.
TEST(CharsetDecode, AnyInputBecomesValidUtf8) {
  for (const char* label : {"gbk", "big5", "shift_jis", "euc-jp", "euc-kr", "iso-2022-jp", "iso-2022-kr", "hz", "utf-7",
                            "utf-16le", "windows-1252", "koi8-u", "cp437", "utf-32"}) {
    const Encoding* encoding = find_encoding(label);
    ASSERT_NE(encoding, nullptr) << label;
    std::string all;
    for (int a = 0; a < 256; ++a) {
      for (int b = 0; b < 256; ++b) all += {static_cast<char>(a), static_cast<char>(b), 'x', '\x1B'};
    }
    EXPECT_TRUE(utf8::is_valid(decode(all, *encoding).text)) << label;
    if (encoding->family != Family::kWide) {
      EXPECT_EQ(decode("Order 48213", *encoding).text, "Order 48213") << label;
    }
  }
}

std::string guess(std::string_view bytes) {
  const Encoding* found = guess_encoding(bytes);
  return found == nullptr ? "none" : found->name;
}

TEST(CharsetGuess, GuessesWesternForFewLetters) {
  EXPECT_EQ(guess("caf\xE9"), "windows-1252");
  EXPECT_EQ(guess("h\xE9 \x93q\x94"), "windows-1252");
  EXPECT_EQ(guess("M\xFCller, K\xF6ln"), "windows-1252");
  EXPECT_EQ(guess("\xCF\xF0\xE8\xE2\xE5\xF2, \xEA\xE0\xEA \xE4\xE5\xEB\xE0?"), "windows-1251");
  EXPECT_EQ(guess(std::string("a\0\xFFz", 4)), "none");
  EXPECT_EQ(guess("plain"), "none");
  EXPECT_EQ(guess("\x1B[31mred\x1B[0m"), "none");
}

// Returns the text in UTF-16 without a byte order mark.
std::string wide(std::u16string_view text, bool is_big_endian) {
  std::string bytes;
  for (const char16_t unit : text) {
    const char high = static_cast<char>(unit >> 8), low = static_cast<char>(unit & 0xFF);
    bytes += {is_big_endian ? high : low, is_big_endian ? low : high};
  }
  return bytes;
}

TEST(ReadText, DetectsUtf16WithoutAMark) {
  for (const bool is_big_endian : {false, true}) {
    const ReadText read = read_text(wide(u"Nr;Empfänger\n1;Bäckerei Groß „KG“ 12,50 €\n", is_big_endian), "");
    EXPECT_EQ(read.text, "Nr;Empfänger\n1;Bäckerei Groß „KG“ 12,50 €\n");
    EXPECT_EQ(read.guessed, is_big_endian ? "utf-16be" : "utf-16le");
    EXPECT_EQ(into_utf8(wide(u"one two three", is_big_endian), "").text, "one two three");
  }
  using namespace std::string_literals;
  for (const std::string& bytes : {"a\0b"s, "text with one \0 in it"s, "\0\0\0\0\0\0\0\0"s, ""s}) {
    EXPECT_EQ(read_text(bytes, "").text, bytes);
  }
}

TEST(ReadText, AcceptsALabelThatNearlyFits) {
  std::string korean;
  for (int i = 0; i < 100; ++i) korean += "\xB0\xA1\xB3\xAA ";
  const ReadText one_broken = read_text(korean + "\xFF", "ks_c_5601-1987");
  EXPECT_TRUE(one_broken.text.starts_with("가나 ")) << one_broken.text.substr(0, 20);
  EXPECT_EQ(one_broken.guessed, "");
  // Russian labeled as Korean is detected.
  const ReadText wrong =
      read_text("\xF0\xD2\xC9\xD7\xC5\xD4, \xCB\xC1\xCB \xC4\xC5\xCC\xC1 \xD3\xC5\xC7\xCF\xC4\xCE\xD1?", "utf-8");
  EXPECT_EQ(wrong.guessed, "koi8-r");
  EXPECT_EQ(wrong.text, "Привет, как дела сегодня?");
  EXPECT_EQ(read_text("Gr\xC3\xBC\xC3\x9F"
                      "e",
                      "koi8-r")
                .text,
            "Grüße");  // UTF-8 with a single-byte label
}

}  // namespace
}  // namespace ladder::imports::charset
