// Compares folding with utf8proc for every code point, and the search with a naive implementation.
#include "base/text/casefold.h"

#include "base/text/utf8.h"

#include <gtest/gtest.h>
#include <utf8proc.h>

#include <random>
#include <string>
#include <vector>

namespace ladder {
namespace {

// The rule of design D7, computed by utf8proc.
char32_t fold_by_rule(char32_t code_point) {
  if (code_point == 0x130) return code_point;
  utf8proc_int32_t folded[8];
  int boundary_class = 0;
  const auto value = static_cast<utf8proc_int32_t>(code_point);
  const auto length = utf8proc_decompose_char(value, folded, 8, UTF8PROC_CASEFOLD, &boundary_class);
  return static_cast<char32_t>(length == 1 ? folded[0] : utf8proc_tolower(value));
}

std::optional<std::int64_t> naive_find(std::string_view text, std::string_view needle) {
  const std::size_t at = utf8::decode(fold(text)).find(utf8::decode(fold(needle)));
  if (at == std::u32string::npos) return std::nullopt;
  return static_cast<std::int64_t>(at);
}

std::optional<std::int64_t> find_at_once(std::string_view text, std::string_view needle) {
  return FoldedFinder(needle).feed(text);
}

TEST(Fold, EveryCodePointFollowsTheRule) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) ASSERT_EQ(fold(c), fold_by_rule(c)) << std::hex << static_cast<unsigned>(c);
}

TEST(Fold, FoldingTwiceChangesNothing) {
  for (char32_t c = 0; c <= 0x10FFFF; ++c) ASSERT_EQ(fold(fold(c)), fold(c)) << std::hex << static_cast<unsigned>(c);
}

TEST(Fold, LeavesValuesBeyondUnicodeUnchanged) {
  EXPECT_EQ(fold(char32_t{0x110000}), 0x110000u);
  EXPECT_EQ(fold(char32_t{0xFFFFFFFF}), 0xFFFFFFFFu);
}

TEST(Fold, KnownPairs) {
  const struct {
    std::string_view a, b;
    bool equal;
  } cases[] = {
      {"A", "a", true},
      {"Z", "z", true},
      {"@", "`", false},
      {"[", "{", false},
      {"ß", "ẞ", true},
      {"ß", "ss", false},
      {"ẞ", "SS", false},
      {"ς", "σ", true},
      {"Σ", "ς", true},
      {"İ", "i", false},
      {"İ", "İ", true},
      {"ı", "i", false},
      {"I", "ı", false},
      {"I", "i", true},
      {"\u212A", "k", true},
      {"ſ", "S", true},
      {"\u212B", "å", true},
      {"\u2126", "ω", true},
      {"\u00B5", "\u03BC", true},
      {"É", "é", true},
      {"É", "E", false},
      {"ПРИВЕТ", "привет", true},
      {"Ǆ", "ǆ", true},
      {"ǅ", "ǆ", true},
      {"ﬁ", "fi", false},
      {"ᾈ", "ᾀ", true},
      {"Ꭰ", "ꭰ", true},
      {"𐐀", "𐐨", true},
      {"𞤀", "𞤢", true},
      {"日本", "日本", true},
      {"E\u0301", "\u00E9", false},
  };
  for (const auto& [a, b, equal] : cases) EXPECT_EQ(fold(a) == fold(b), equal) << a << ' ' << b;
}

TEST(Fold, TextFoldsLikeItsCodePoints) {
  std::string every;
  std::u32string folded;
  for (char32_t c = 0; c < 0x20000; ++c) {
    if (c == 0xD800) c = 0xE000;
    utf8::append(every, c);
    folded.push_back(fold_by_rule(c));
  }
  EXPECT_EQ(utf8::decode(fold(every)), folded);
  // ASCII of every length and alignment, which is folded eight bytes at a time.
  const std::string_view ascii = std::string_view(every).substr(0, 128);
  for (std::size_t start = 0; start < 128; ++start) {
    for (std::size_t size = 0; start + size <= 128; ++size) {
      std::string expected;
      for (std::size_t i = start; i < start + size; ++i) {
        expected.push_back(ascii[i] >= 'A' && ascii[i] <= 'Z' ? static_cast<char>(ascii[i] + 32) : ascii[i]);
      }
      ASSERT_EQ(fold(ascii.substr(start, size)), expected);
    }
  }
  EXPECT_EQ(fold(std::string_view("A\0Bé", 5)), std::string_view("a\0bé", 5));
}

TEST(FoldedFinderTest, KnownPositions) {
  const struct {
    std::string_view text, needle;
    std::optional<std::int64_t> at;
  } cases[] = {
      {"", "a", std::nullopt},
      {"a", "a", 0},
      {"A", "a", 0},
      {"a", "A", 0},
      {"b", "a", std::nullopt},
      {"ab", "b", 1},
      {"Hello, World", "world", 7},
      {"Hello, World", "WORLD!", std::nullopt},
      {"aaab", "aab", 1},
      {"ababac", "ABAC", 2},
      {"Straße", "STRAẞE", 0},
      {"Strasse", "straße", std::nullopt},
      {"ΟΔΥΣΣΕΥΣ", "οδυσσευς", 0},
      {"ἐν ἀρχῇ", "ΑΡΧΗ", std::nullopt},
      {"İstanbul", "istanbul", std::nullopt},
      {"İstanbul", "stanbul", 1},
      {"300 \u212A", "300 k", 0},
      {"the ſun", "SUN", 4},
      {"ſ", "s", 0},
      {"\u212A", "k", 0},
      {"éSé", "s", 1},
      {"aſ\u212A", "ASK", 0},
      {"aaaaaaaaaaaaſ\u212A", "sk", 12},
      {"日本語テキスト", "テキ", 3},
      {"😀😀👍", "👍", 2},
      {"привет МИР", "мир", 7},
      {"Ѐ", "ѐ", 0},
      {"x", "xx", std::nullopt},
      {"....:....", ":", 4},
      {"````@```", "@", 4},
      {"[[[[[[[[[{[", "{", 9},
      {"no needle in this haystack at all", "needle in", 3},
  };
  for (const auto& [text, needle, at] : cases) EXPECT_EQ(find_at_once(text, needle), at) << text << " / " << needle;
}

TEST(FoldedFinderTest, NulIsACharacter) {
  const std::string text("ab\0cd\0\0e", 8);
  EXPECT_EQ(find_at_once(text, std::string_view("\0", 1)), 2);
  EXPECT_EQ(find_at_once(text, std::string_view("\0\0E", 3)), 5);
  EXPECT_EQ(find_at_once(text, std::string_view("\0x", 2)), std::nullopt);
}

TEST(FoldedFinderTest, FindsEveryLetterAtEveryPositionInEitherCase) {
  for (char letter = '!'; letter <= '~'; ++letter) {
    const char other = letter >= 'a' && letter <= 'z'   ? static_cast<char>(letter - 32)
                       : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter + 32)
                                                        : letter;
    for (std::size_t at = 0; at < 27; ++at) {
      std::string text(27, ' ');
      text[at] = other;
      ASSERT_EQ(find_at_once(text, std::string(1, letter)), static_cast<std::int64_t>(at)) << letter;
      if (at + 1 < text.size()) {
        ASSERT_EQ(find_at_once(text, std::string(1, letter) + " "), static_cast<std::int64_t>(at)) << letter;
      }
      ASSERT_EQ(find_at_once(text, std::string(1, letter) + "\x01"), std::nullopt) << letter;
    }
  }
}

TEST(FoldedFinderTest, CountsCharactersFed) {
  FoldedFinder finder("née");
  EXPECT_EQ(finder.needle_chars(), 3);
  EXPECT_EQ(finder.fed_chars(), 0);
  EXPECT_EQ(finder.feed("ça va, "), std::nullopt);
  EXPECT_EQ(finder.fed_chars(), 7);
  EXPECT_EQ(finder.feed(""), std::nullopt);
  EXPECT_EQ(finder.feed("N"), std::nullopt);
  EXPECT_EQ(finder.fed_chars(), 8);
  EXPECT_EQ(finder.feed("ÉE Née"), 7) << "it began in the piece before";
  EXPECT_EQ(finder.fed_chars(), 10) << "the end of the match";
  EXPECT_EQ(finder.feed("née"), 7) << "one search per object";
  EXPECT_EQ(finder.fed_chars(), 10);
}

// Uses few letters, so that near misses, overlaps and matches are frequent; some non-ASCII characters fold to k and s.
std::string random_word(std::mt19937& random, std::size_t chars, unsigned alphabet) {
  static const std::vector<std::vector<std::string>> kAlphabets = {{"a", "A", "b"},
                                                                   {"s", "S", "ſ", "k", "K", "\u212A"},
                                                                   {"п", "П", "а"},
                                                                   {"a", "ß", "ẞ", "😀", "日", "A"},
                                                                   {"s", "ſ", "σ", "ς", "Σ", "ä", "Ä", "."}};
  const std::vector<std::string>& letters = kAlphabets[alphabet % kAlphabets.size()];
  std::string word;
  for (std::size_t i = 0; i < chars; ++i) word += letters[random() % letters.size()];
  return word;
}

TEST(FoldedFinderTest, AgreesWithTheNaiveSearchForAllPieceSizes) {
  std::mt19937 random(7);
  int found = 0;
  for (int round = 0; round < 30'000; ++round) {
    const auto alphabet = static_cast<unsigned>(random());
    std::string text = random_word(random, random() % 50, alphabet);
    if (random() % 3 == 0) text = std::string(random() % 30, 'x') + text;  // something to skip first
    const std::string needle = random_word(random, 1 + random() % 6, alphabet);
    const auto expected = naive_find(text, needle);
    found += expected ? 1 : 0;
    ASSERT_EQ(find_at_once(text, needle), expected) << text << " / " << needle;

    FoldedFinder finder(needle);
    std::optional<std::int64_t> at;
    std::string_view rest = text;
    while (!rest.empty() && !at) {
      const std::string_view piece = utf8::slice(rest, 0, static_cast<std::int64_t>(random() % 12));
      at = finder.feed(piece);
      rest.remove_prefix(piece.size());
    }
    ASSERT_EQ(at, expected) << text << " / " << needle << " in pieces";
    if (!expected) {
      ASSERT_EQ(finder.fed_chars(), utf8::count(text));
    }
  }
  EXPECT_GT(found, 3'000) << "the alphabets are too large to test anything";
  EXPECT_LT(found, 27'000);
}

TEST(FoldedFinderTest, PeriodicTextTakesLinearTime) {
  // A search that restarts at every character would take 2^38 steps here.
  const std::string text(std::size_t{1} << 20, 'a');
  const std::string needle = std::string(std::size_t{1} << 18, 'A') + "b";
  EXPECT_EQ(find_at_once(text, needle), std::nullopt);
  EXPECT_EQ(find_at_once(text + "B", needle), (1 << 20) - (1 << 18));
}

}  // namespace
}  // namespace ladder
