// Decoding of strings: escapes, pieces, lengths, names.
#include "json/scan/scan.h"

#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ladder::json {
namespace {

using std::string_literals::operator""s;

const std::vector<std::pair<std::string, std::string>>& decoded_table() {
  static const std::vector<std::pair<std::string, std::string>> kTable = {
      {"", ""},
      {"plain", "plain"},
      {R"(\"\\\/\b\f\n\r\t)", "\"\\/\b\f\n\r\t"},
      {R"(a\u0000b)", "a\0b"s},
      {R"(\u0041\u00e9\u20AC)", "Aé€"},
      {R"(\ud83d\ude00!)", "😀!"},
      {R"(\uDBFF\uDFFF)", "\xF4\x8F\xBF\xBF"},
      {R"(\ud83d)", "\xEF\xBF\xBD"},
      {R"(x\ude00y)", "x\xEF\xBF\xBDy"},
      {R"(\ud83dx\ude00)", "\xEF\xBF\xBDx\xEF\xBF\xBD"},
      {R"(\ud83d\ud83d\ude00)", "\xEF\xBF\xBD😀"},
      {R"(\ud83d\n)", "\xEF\xBF\xBD\n"},
      {R"(\ud83d\u0041)",
       "\xEF\xBF\xBD"
       "A"},
      {R"(\\u0041)", "\\u0041"},
      {R"(日本\n語 über \u00fcber 😀)", "日本\n語 über über 😀"},
  };
  return kTable;
}

TEST(DecodeString, DecodesEveryEscape) {
  for (const auto& [raw, decoded] : decoded_table()) EXPECT_EQ(decode_string(raw), decoded) << raw;
}

TEST(DecodedLength, CountsCodePoints) {
  for (const auto& [raw, decoded] : decoded_table()) {
    EXPECT_EQ(decoded_length(raw), static_cast<std::size_t>(utf8::count(decoded))) << raw;
  }
}

TEST(NameEquals, ComparesDecodedNames) {
  for (const auto& [raw, decoded] : decoded_table()) {
    EXPECT_TRUE(name_equals(raw, decoded)) << raw;
    EXPECT_FALSE(name_equals(raw, decoded + "x")) << raw;
    EXPECT_FALSE(name_equals(raw + "x", decoded)) << raw;
    EXPECT_FALSE(name_equals(raw + R"(\u0000)", decoded)) << raw;
  }
  EXPECT_TRUE(name_equals(R"(\u0000\u0000)", "\0\0"s));
  EXPECT_FALSE(name_equals(R"(a\u0062)", "ac"));
}

TEST(StringDecoder, PiecesRejoinAtEverySize) {
  std::string all_raw;
  std::string all_decoded;
  for (const auto& [raw, decoded] : decoded_table()) {
    all_raw += raw + "|";
    all_decoded += decoded + "|";
  }
  auto table = decoded_table();
  table.emplace_back(all_raw, all_decoded);
  table.emplace_back(std::string(1000, 'x'), std::string(1000, 'x'));
  for (const auto& [raw, decoded] : table) {
    for (std::size_t max_bytes = 0; max_bytes <= decoded.size() + 2; ++max_bytes) {
      StringDecoder decoder(raw);
      std::string joined;
      std::string piece;
      while (decoder.next(piece, max_bytes)) {
        ASSERT_FALSE(piece.empty());
        ASSERT_LE(piece.size(), std::max<std::size_t>(max_bytes, 4));
        ASSERT_TRUE(utf8::is_valid(piece)) << max_bytes;
        joined += piece;
      }
      ASSERT_EQ(joined, decoded) << max_bytes;
      EXPECT_TRUE(piece.empty());
      EXPECT_FALSE(decoder.next(piece, max_bytes));
    }
  }
}

TEST(StringDecoder, FillsItsPieces) {
  StringDecoder decoder(std::string_view("abcdefghij"));
  std::string piece;
  EXPECT_TRUE(decoder.next(piece, 6));
  EXPECT_EQ(piece, "abcdef");
  EXPECT_TRUE(decoder.next(piece, 6));
  EXPECT_EQ(piece, "ghij");
  EXPECT_FALSE(decoder.next(piece, 6));
  StringDecoder mixed(R"(ab\u20accd)");
  EXPECT_TRUE(mixed.next(piece, 4));
  EXPECT_EQ(piece, "ab");
  EXPECT_TRUE(mixed.next(piece, 4));
  EXPECT_EQ(piece, "€c");
}

}  // namespace
}  // namespace ladder::json
