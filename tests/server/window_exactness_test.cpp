// Windows rejoin exactly: for any script, window size or direction, next_cursor and previous_cursor visit every code
// point once (design D2, D3), and `q` finds the same first match on both engines (D7).
#include "base/text/casefold.h"
#include "base/text/utf8.h"
#include "support/server_fixture.h"

#include <random>

namespace ladder {
namespace {

using test_support::at_cursor;
using test_support::at_offset;
using test_support::for_query;
using test_support::must;
using test_support::text_member;

// Text in many scripts: emoji and ZWJ sequences, combining marks, CJK, right-to-left, NUL, controls, 4-byte characters.
std::string mixed_text(std::size_t chars, unsigned seed) {
  static const std::vector<std::string> kPieces = {"plain words ",
                                                   "\n",
                                                   "\t",
                                                   std::string(1, '\0'),
                                                   "é",
                                                   "e\u0301",
                                                   "ñ",
                                                   "日本語",
                                                   "漢",
                                                   "한국어",
                                                   "שלום",
                                                   "مرحبا",
                                                   "👩‍👩‍👧‍👦",
                                                   "🇩🇪",
                                                   "👍🏽",
                                                   "𝔘𝔫𝔦",
                                                   "𠮷",
                                                   "\u200d",
                                                   "\u202e",
                                                   "\ufeff",
                                                   "ß",
                                                   "ẞ",
                                                   "Σς",
                                                   "İ",
                                                   "\"",
                                                   "\\",
                                                   "</script>",
                                                   "\u2028",
                                                   "\x7f"};
  std::mt19937 random(seed);
  std::string text;
  for (std::size_t n = 0; n < chars;) {
    const std::string& piece = kPieces[random() % kPieces.size()];
    text += piece;
    n += static_cast<std::size_t>(utf8::count(piece));
  }
  return text;
}

class WindowExactness : public test_support::ServerFixture {
 protected:
  // Walks from the first window to the last and back; both must give the text.
  void expect_rejoins(const std::string& id, const std::string& field, const std::string& text, std::int64_t limit) {
    const server::Access access = client({"work", "notes", {}, {}, {}, {}});
    std::string joined;
    auto window = must(read(access, id, field, at_offset(0, limit)));
    const std::int64_t size = utf8::count(text);
    while (true) {
      ASSERT_EQ(window.size_chars, size);
      ASSERT_EQ(utf8::count(window.text), window.end_chars - window.start_chars);
      ASSERT_LE(window.end_chars - window.start_chars, limit);
      joined += window.text;
      if (window.next_cursor.empty()) break;
      window = must(read(access, id, field, at_cursor(window.next_cursor)));
    }
    ASSERT_EQ(window.end_chars, size);
    ASSERT_TRUE(joined == text) << "forward, limit " << limit;
    std::string back = window.text;
    while (!window.previous_cursor.empty()) {
      const std::int64_t start = window.start_chars;
      window = must(read(access, id, field, at_cursor(window.previous_cursor)));
      ASSERT_EQ(window.end_chars, start);
      back.insert(0, window.text);
    }
    ASSERT_EQ(window.start_chars, 0);
    ASSERT_TRUE(back == text) << "backward, limit " << limit;
  }
};

TEST_P(WindowExactness, LongTextRejoinsAtManyWindowSizes) {
  const std::string text = mixed_text(40'000, 7);
  put("n1", text_member("body", text));
  for (std::int64_t limit : {997, 3599, 3600, 3601, 4096, 7200, 16384}) expect_rejoins("n1", "body", text, limit);
}

TEST_P(WindowExactness, ShortTextRejoinsDownToSingleChars) {
  const std::string text = mixed_text(300, 11);
  put("n1", text_member("body", text));
  for (std::int64_t limit : {1, 2, 3, 7, 299, 300, 301}) expect_rejoins("n1", "body", text, limit);
}

TEST_P(WindowExactness, EachScriptRejoins) {
  for (const std::string unit : {"a", "é", "漢", "🙂"}) {
    std::string text;
    for (int i = 0; i < 9'001; ++i) text += unit;
    put("n1", text_member("body", text));
    for (std::int64_t limit : {900, 4096}) expect_rejoins("n1", "body", text, limit);
  }
}

TEST_P(WindowExactness, EmptyTextIsComplete) {
  put("n1", text_member("body", ""));
  const auto window = must(read(owner(), "n1", "body"));
  EXPECT_TRUE(window.complete());
  EXPECT_EQ(window.size_chars, 0);
  EXPECT_EQ(window.digest, crypto::digest_text(crypto::sha256("")));
}

TEST_P(WindowExactness, AnOffsetPastTheEndIsEmptyAndLeadsBack) {
  put("n1", text_member("body", "abc"));
  const auto window = must(read(owner(), "n1", "body", at_offset(10, 2)));
  EXPECT_EQ(window.text, "");
  EXPECT_EQ(window.start_chars, 3);
  EXPECT_EQ(window.end_chars, 3);
  EXPECT_FALSE(window.complete());
  EXPECT_FALSE(window.has_more());
  EXPECT_EQ(must(read(owner(), "n1", "body", at_cursor(window.previous_cursor))).text, "bc");
}

TEST_P(WindowExactness, DigestAndSizeAreOfTheWholeField) {
  const std::string text = mixed_text(10'000, 3);
  put("n1", text_member("body", text));
  const auto window = must(read(owner(), "n1", "body", at_offset(5'000, 10)));
  EXPECT_EQ(window.digest, crypto::digest_text(crypto::sha256(text)));
  EXPECT_EQ(window.size_chars, utf8::count(text));
}

TEST_P(WindowExactness, ObjectsAndArraysAreReadAsJsonText) {
  const std::string small = R"([1, {"a": 12345678901234567890.10e+2}, "x"])";
  put("n1", "\"blocks\":" + small);
  const auto window = must(read(owner(), "n1", "blocks"));
  EXPECT_EQ(window.text, small);
  EXPECT_EQ(window.type, "array");
  EXPECT_EQ(window.mime_type, "application/json");

  std::string large = "[";
  for (int i = 0; i < 4'000; ++i) large += format("{}{{\"n\": {}, \"text\":\"block {} – ß\"}}", i ? ", " : "", i, i);
  large += "]";
  put("n2", "\"blocks\":" + large);
  expect_rejoins("n2", "blocks", large, 16384);
  EXPECT_EQ(must(read(owner(), "n2", "/blocks/3999/text")).text, "block 3999 – ß");
  EXPECT_EQ(must(read(owner(), "n2", "/blocks/17")).text, "{\"n\": 17, \"text\":\"block 17 – ß\"}");
}

TEST_P(WindowExactness, LongStringsInsideLargeObjectsHaveWindows) {
  const std::string text = mixed_text(20'000, 5);
  std::string member = "\"blocks\":{\"intro\":\"short\",";
  for (int i = 0; i < 500; ++i) member += format("\"pad{}\":[{},{}],", i, i, i);
  member += "\"a/b~c\":{\"deep\":[0,{" + text_member("text", text) + "}]}}";
  put("n1", member);
  expect_rejoins("n1", "/blocks/a~1b~0c/deep/1/text", text, 4096);
  EXPECT_EQ(must(read(owner(), "n1", "/blocks/intro")).text, "short");
  EXPECT_EQ(must(read(owner(), "n1", "/blocks/pad499")).text, "[499,499]");
  for (std::string path : {"/blocks/nosuch", "/blocks/pad0/2", "/blocks/pad0/-", "/blocks/a~1b~0c/deep/1/text/0"}) {
    const auto missing = read(owner(), "n1", path);
    ASSERT_FALSE(missing) << path;
    EXPECT_EQ(missing.error().code, Code::kFieldNotFound) << path;
  }
}

TEST_P(WindowExactness, NumbersBooleansAndNullAreNotText) {
  put("n1", R"("words":3,"title":null,"blocks":[true])");
  for (std::string path : {"words", "title", "/blocks/0"}) {
    const auto refused = read(owner(), "n1", path);
    ASSERT_FALSE(refused) << path;
    EXPECT_EQ(refused.error().code, Code::kFieldNotText) << path;
  }
}

TEST_P(WindowExactness, QueryFindsTheFirstMatchUnderSimpleFolding) {
  struct Case {
    std::string text, q;
    std::int64_t at;  // -1: not found
  };
  const std::string pad(9'999, '.');
  const std::vector<Case> cases = {
      {"xxÉtude", "étude", 2},     {"ΟΔΥΣΣΕΥΣ", "οδυσσευς", 0}, {"οδυσσεύς", "ΟΔΥΣΣΕΎΣ", 0},
      {"straße", "STRASSE", -1},   {"STRAẞE", "straße", 0},     {"İstanbul", "istanbul", -1},
      {"İstanbul", "İSTANBUL", 0}, {"e\u0301", "é", -1},        {"aab", "ab", 1},
      {"日本語", "本", 1},         {"🙂🙃", "🙃", 1},           {std::string("a\0b", 3), std::string("\0B", 2), 1}};
  for (const Case& c : cases) {
    for (const std::string& before : {std::string(), pad}) {
      put("n1", text_member("body", before + c.text + pad));
      const auto window = read(owner(), "n1", "body", for_query(c.q));
      if (c.at < 0) {
        ASSERT_FALSE(window) << c.text << " / " << c.q;
        EXPECT_EQ(window.error().code, Code::kQueryNotFound);
        continue;
      }
      ASSERT_TRUE(window) << c.text << " / " << c.q << ": " << window.error().message;
      ASSERT_TRUE(window->match);
      EXPECT_EQ(window->match->start_chars, c.at + static_cast<std::int64_t>(before.size())) << c.text;
      EXPECT_EQ(window->match->end_chars, window->match->start_chars + utf8::count(c.q));
      EXPECT_GE(window->match->start_chars, window->start_chars);
      EXPECT_LE(window->match->end_chars, window->end_chars);
    }
  }
}

TEST_P(WindowExactness, AQueryMatchesAcrossEveryChunkBoundary) {
  const std::string needle = "Nadel🪡im";
  for (std::int64_t border : {3600, 1800, 900}) {
    for (std::int64_t shift = -9; shift <= 1; ++shift) {
      std::string text(static_cast<std::size_t>(border + shift), '-');
      text += needle + std::string(5'000, '-');
      put("n1", text_member("body", text));
      const auto window = must(read(owner(), "n1", "body", for_query("nADEL🪡IM")));
      ASSERT_EQ(window.match->start_chars, border + shift);
    }
  }
}

TEST_P(WindowExactness, NextMatchCursorWalksAllMatches) {
  std::string text;
  std::vector<std::int64_t> expected;
  for (int i = 0; i < 7; ++i) {
    text += std::string(3'000, '.');
    expected.push_back(utf8::count(text));
    text += i % 2 ? "FINDME" : "findme";
  }
  put("n1", text_member("body", text));
  std::vector<std::int64_t> found;
  auto window = read(owner(), "n1", "body", for_query("FindMe"));
  while (window) {
    found.push_back(window->match->start_chars);
    window = read(owner(), "n1", "body", at_cursor(window->next_match_cursor));
  }
  EXPECT_EQ(window.error().code, Code::kQueryNotFound);
  EXPECT_EQ(found, expected);
}

LADDER_FOR_EVERY_ENGINE(WindowExactness);

}  // namespace
}  // namespace ladder
