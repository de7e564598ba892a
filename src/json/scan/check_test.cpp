// Tables of accepted and rejected texts, with the position of the error.
#include "json/scan/scan.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace ladder::json {
namespace {

using std::string_literals::operator""s;

constexpr std::size_t kDepth = 64;

// Copies the text without slack, so that a sanitizer detects a read past the end.
std::expected<TextStats, Fault> check_exactly(std::string_view text, std::size_t max_depth = kDepth) {
  const auto copy = std::make_unique<char[]>(text.size());
  std::copy(text.begin(), text.end(), copy.get());
  return check(std::string_view(copy.get(), text.size()), max_depth);
}

TEST(Check, AcceptsTheGrammar) {
  const std::vector<std::string> accepted = {
      "null",
      "true",
      "false",
      "0",
      "-0",
      "7",
      "-12",
      "1234567890123456789012345678901234567890",
      "0.5",
      "-0.0",
      "10.25e3",
      "1e5",
      "1E5",
      "1e+5",
      "1E-5",
      "0e0",
      "0E+00",
      "1.0e007",
      R"("")",
      R"("a")",
      R"("\"\\\/\b\f\n\r\t")",
      R"("\u0000\uABCD\uabcd\u12Ef")",
      "\"\x7f\"",
      "\"\xC2\x80\"",
      "\"\xDF\xBF\"",
      "\"\xE0\xA0\x80\"",
      "\"\xED\x9F\xBF\"",
      "\"\xEE\x80\x80\"",
      "\"\xEF\xBF\xBF\"",
      "\"\xF0\x90\x80\x80\"",
      "\"\xF4\x8F\xBF\xBF\"",
      "\"a\xEF\xBB\xBFz\"",
      "[]",
      "[ ]",
      "{}",
      "{ }",
      "[1]",
      "[1,2]",
      "[ 1 , 2 ]",
      "[[],{},[[]]]",
      R"({"a":1})",
      R"({ "a" : 1 , "b" : [ ] })",
      R"({"a":{"a":{"a":null}}})",
      R"({"a":1,"a":2})",
      R"({"":""})",
      " \t\r\n1\n",
      "\n[\n]\n",
      R"(["a",1,true,false,null,{}])",
      R"("@42")",
      "[\"" + std::string(100, 'x') + "\",\"" + std::string(31, 'y') + "\"]",
  };
  for (const std::string& text : accepted) {
    const auto facts = check_exactly(text);
    EXPECT_TRUE(facts.has_value()) << text << ": " << (facts ? "" : facts.error().what);
  }
}

struct Refused {
  std::string text;
  std::size_t offset;
  std::string_view what;
};

TEST(Check, RejectsEverythingElseWithItsPosition) {
  const std::vector<Refused> table = {
      {"", 0, "a value is missing"},
      {"  ", 2, "a value is missing"},
      {"\0"s, 0, "a value is missing"},
      {"1\0"s, 1, "something follows the value"},
      {"nul", 0, "a value is missing"},
      {"nulL", 0, "a value is missing"},
      {"True", 0, "a value is missing"},
      {"NaN", 0, "a value is missing"},
      {"Infinity", 0, "a value is missing"},
      {"truefalse", 4, "something follows the value"},
      {"1 2", 2, "something follows the value"},
      {"{}{}", 2, "something follows the value"},
      {"[]]", 2, "something follows the value"},
      {"@42", 0, "a value is missing"},
      {R"({"a":@42})", 5, "a value is missing"},
      {"[@42]", 1, "a value is missing"},
      {"'a'", 0, "a value is missing"},
      {"// c\n1", 0, "a value is missing"},
      {"1 /* c */", 2, "something follows the value"},
      {"\v1", 0, "a value is missing"},
      {"\xC2\xA0"
       "1",
       0, "a value is missing"},
      {"\xEF\xBB\xBF"
       "1",
       0, "the JSON text begins with a byte order mark"},
      // numbers
      {"01", 1, "a number has a leading zero"},
      {"-01", 2, "a number has a leading zero"},
      {"00", 1, "a number has a leading zero"},
      {"-", 1, "a number has no digits"},
      {"-a", 1, "a number has no digits"},
      {"--1", 1, "a number has no digits"},
      {"+1", 0, "a value is missing"},
      {".5", 0, "a value is missing"},
      {"1.", 2, "a number has no digits after the point"},
      {"1.e5", 2, "a number has no digits after the point"},
      {"0.", 2, "a number has no digits after the point"},
      {"1e", 2, "a number has no digits in the exponent"},
      {"1e+", 3, "a number has no digits in the exponent"},
      {"[1e]", 3, "a number has no digits in the exponent"},
      {"1.5.5", 3, "something follows the value"},
      {"0x1", 1, "something follows the value"},
      {"1_000", 1, "something follows the value"},
      // strings
      {"\"", 1, "the text ends inside a string"},
      {"\"abc", 4, "the text ends inside a string"},
      {"\"abcdefghijklmnop", 17, "the text ends inside a string"},
      {R"("\")", 3, "the text ends inside a string"},
      {R"("\)", 1, "an escape in a string is not valid"},
      {R"("a\x")", 2, "an escape in a string is not valid"},
      {R"("\'")", 1, "an escape in a string is not valid"},
      {R"("\U0041")", 1, "an escape in a string is not valid"},
      {R"("\u")", 1, "an escape in a string is not valid"},
      {R"("\u12")", 1, "an escape in a string is not valid"},
      {R"("\u123)", 1, "an escape in a string is not valid"},
      {R"("\u12G4")", 1, "an escape in a string is not valid"},
      {R"("\uD800\u12")", 7, "an escape in a string is not valid"},
      {"\"\n\"", 1, "a control character in a string is not escaped"},
      {"\"a\tb\"", 2, "a control character in a string is not escaped"},
      {"\"\0\""s, 1, "a control character in a string is not escaped"},
      {"\"abcdefghijk\x1F\"", 12, "a control character in a string is not escaped"},
      // objects and arrays
      {"[", 1, "a value is missing"},
      {"[1", 2, "a comma or ] is missing"},
      {"[1,", 3, "a value is missing"},
      {"[1,]", 3, "a value is missing"},
      {"[,1]", 1, "a value is missing"},
      {"[1,,2]", 3, "a value is missing"},
      {"[1 2]", 3, "a comma or ] is missing"},
      {"[1}", 2, "a comma or ] is missing"},
      {"[}", 1, "a value is missing"},
      {"]", 0, "a value is missing"},
      {"{", 1, "a member name in quotes is missing"},
      {"{]", 1, "a member name in quotes is missing"},
      {"{a:1}", 1, "a member name in quotes is missing"},
      {"{1:1}", 1, "a member name in quotes is missing"},
      {"{'a':1}", 1, "a member name in quotes is missing"},
      {R"({"a"})", 4, "a colon is missing"},
      {R"({"a" 1})", 5, "a colon is missing"},
      {R"({"a":})", 5, "a value is missing"},
      {R"({"a":1)", 6, "a comma or } is missing"},
      {R"({"a":1])", 6, "a comma or } is missing"},
      {R"({"a":1,)", 7, "a member name in quotes is missing"},
      {R"({"a":1,})", 7, "a member name in quotes is missing"},
      {R"({,"a":1})", 1, "a member name in quotes is missing"},
      {R"({"a":1 "b":2})", 7, "a comma or } is missing"},
      {R"({"a":1,"b"})", 10, "a colon is missing"},
  };
  for (const Refused& row : table) {
    const auto facts = check_exactly(row.text);
    ASSERT_FALSE(facts.has_value()) << row.text;
    EXPECT_EQ(facts.error().offset, row.offset) << row.text;
    EXPECT_EQ(facts.error().what, row.what) << row.text;
    EXPECT_FALSE(facts.error().invalid_utf8) << row.text;
  }
}

TEST(Check, RejectsInvalidUtf8AtTheFirstByteOfTheSequence) {
  const std::vector<std::string> broken = {
      "\x80",
      "\xBF",
      "\xC0\x80",
      "\xC1\xBF",
      "\xC2",
      "\xC2\x41",
      "\xC2\xC2",
      "\xE0\x80\x80",
      "\xE0\x9F\xBF",
      "\xE1\x80",
      "\xE1\x80\x41",
      "\xED\xA0\x80",
      "\xED\xBF\xBF",
      "\xF0\x80\x80\x80",
      "\xF0\x8F\xBF\xBF",
      "\xF1\x80\x80",
      "\xF1\x80\x80\x41",
      "\xF4\x90\x80\x80",
      "\xF5\x80\x80\x80",
      "\xF8\x88\x80\x80\x80",
      "\xFE",
      "\xFF",
  };
  for (const std::string& bytes : broken) {
    // Before and after it: nothing, a byte, and enough to be read as a word.
    for (const std::string before : {"", "a", "\xC3\xA4", "abcdefgh", "\xE2\x82\xAC\xF0\x9F\x98\x80", "\xC3\xA4 \xC3\xB6 "}) {
      for (const std::string after : {"\"", "z\"", "abcdefghijkl\"", ""}) {
        const std::string text = "[\"" + before + bytes + after;
        const auto facts = check_exactly(text);
        ASSERT_FALSE(facts.has_value()) << testing::PrintToString(text);
        EXPECT_TRUE(facts.error().invalid_utf8) << testing::PrintToString(text);
        EXPECT_EQ(facts.error().offset, 2 + before.size()) << testing::PrintToString(text);
        EXPECT_EQ(facts.error().what, "the text is not valid UTF-8");
      }
    }
    const auto outside = check_exactly("[" + bytes + "]");
    ASSERT_FALSE(outside.has_value());
    EXPECT_TRUE(outside.error().invalid_utf8) << testing::PrintToString(bytes);
    EXPECT_EQ(outside.error().offset, 1U);
  }
}

TEST(Check, AcceptsEveryCodePointExceptSurrogates) {
  std::string text = "\"";
  const auto put = [&](unsigned byte) { text += static_cast<char>(byte); };
  for (unsigned c = 0x20; c <= 0x10FFFF; ++c) {
    if (c == '"' || c == '\\' || (c >= 0xD800 && c <= 0xDFFF)) continue;
    if (c < 0x80) {
      put(c);
    } else if (c < 0x800) {
      put(0xC0 | c >> 6), put(0x80 | (c & 0x3F));
    } else if (c < 0x10000) {
      put(0xE0 | c >> 12), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
    } else {
      put(0xF0 | c >> 18), put(0x80 | (c >> 12 & 0x3F)), put(0x80 | (c >> 6 & 0x3F)), put(0x80 | (c & 0x3F));
    }
  }
  text += '"';
  const auto facts = check_exactly(text);
  EXPECT_TRUE(facts.has_value()) << facts.error().offset;
}

TEST(Check, RejectsEveryPrefixOfAnObject) {
  const std::string text =
      R"({"name":"Ada \u00e9\ud83d\ude00 über 日本","list":[1,-2.5e10,true,null,{"deep":[[]]}],"t":"2026-04-01T00:00:00Z"})";
  ASSERT_TRUE(check_exactly(text).has_value());
  for (std::size_t length = 0; length < text.size(); ++length) {
    const auto facts = check_exactly(text.substr(0, length));
    ASSERT_FALSE(facts.has_value()) << length;
    EXPECT_LE(facts.error().offset, length);
  }
}

TEST(Check, FindsAnErrorAtEveryPositionOfALongString) {
  for (std::size_t length = 0; length < 40; ++length) {
    for (std::size_t at = 0; at < length; ++at) {
      for (const char bad : {'\x01', '\x1F', '\xFF'}) {
        std::string text = '"' + std::string(length, 'x') + '"';
        text[1 + at] = bad;
        const auto facts = check_exactly(text);
        ASSERT_FALSE(facts.has_value());
        EXPECT_EQ(facts.error().offset, 1 + at);
        EXPECT_EQ(facts.error().invalid_utf8, bad == '\xFF');
      }
    }
  }
}

TEST(Check, CountsLoneSurrogates) {
  const std::vector<std::pair<std::string, std::int64_t>> table = {
      {R"("\ud83d\ude00")", 0},
      {R"("\uD83D\uDE00")", 0},
      {R"("\ud83d")", 1},
      {R"("\ude00")", 1},
      {R"("\ude00\ud83d")", 2},
      {R"("\ud83d\ud83d\ude00")", 1},
      {R"("\ud83d x \ude00")", 2},
      {R"("\ud83d\n\ude00")", 2},
      {R"("\ud83d\u0041")", 1},
      {R"(["\ud83d","\ude00"])", 2},
      {R"({"\udfff":"\udbff\udc00"})", 1},
      {R"("\ud7ff\ue000")", 0},
      {R"("\\ud800")", 0},
      {R"("\ud83d\ude00\ude00")", 1},
  };
  for (const auto& [text, lone] : table) {
    const auto facts = check_exactly(text);
    ASSERT_TRUE(facts.has_value()) << text;
    EXPECT_EQ(facts->lone_surrogates, lone) << text;
  }
}

TEST(Check, LimitsTheDepth) {
  EXPECT_EQ(check_exactly("1", 0)->depth, 0U);
  EXPECT_EQ(check_exactly("[]", 1)->depth, 1U);
  EXPECT_EQ(check_exactly("[[],[[]],{}]", 3)->depth, 3U);
  EXPECT_EQ(check_exactly(R"({"a":{"b":[1]}})", 3)->depth, 3U);
  EXPECT_EQ(check_exactly("[]", 0).error().offset, 0U);
  EXPECT_EQ(check_exactly("[1,[]]", 1).error().offset, 3U);
  EXPECT_EQ(check_exactly("[1,[]]", 1).error().what, "the value is nested too deeply");
  const std::string deep(1'000'000, '[');
  EXPECT_EQ(check_exactly(deep, 64).error().offset, 64U);
  const std::string closed = deep + std::string(deep.size(), ']');
  EXPECT_EQ(check_exactly(closed, deep.size())->depth, deep.size());
}

}  // namespace
}  // namespace ladder::json
