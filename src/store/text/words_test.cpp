// Words in many scripts with their positions; limits of long words and of marks. words_random_test.cpp tests properties
// over random text; tests/store/word_table_test.cpp checks the table against utf8proc.
#include "store/text/words.h"

#include "base/text/format.h"
#include "base/text/utf8.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace ladder::store {
namespace {

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

std::vector<std::string> listed(std::string_view text, bool with_places) {
  std::vector<std::string> list;
  Words words;
  words.feed(text);
  words.finish();
  for (Word word; words.next(word);) {
    std::string line = (word.pair ? "+" : "") + std::string(word.text);
    if (with_places) line += format(" {}-{} @{}", word.start, word.end, word.position);
    list.push_back(line);
  }
  return list;
}

// The words separated by spaces, with a plus before each pair.
std::string words_of(std::string_view text) {
  std::string joined;
  for (const std::string& word : listed(text, false)) joined += (joined.empty() ? "" : " ") + word;
  return joined;
}

using Lines = std::vector<std::string>;
Lines places_of(std::string_view text) { return listed(text, true); }

TEST(Words, English) {
  EXPECT_EQ(words_of("The Quick (brown) fox, 42 times; can't_stop: v2.0!"), "the quick brown fox 42 times can t stop v2 0");
  EXPECT_EQ(words_of(""), "");
  EXPECT_EQ(words_of(" \t\r\n.,;…—“”"), "");
  EXPECT_EQ(words_of(std::string_view("a\0b\x7f"
                                      "c",
                                      5)),
            "a b c");
}

TEST(Words, FrenchAndGermanAndOtherLatin) {
  EXPECT_EQ(words_of("Éclair ÉCLAIR e\u0301clair eclair"), "eclair eclair eclair eclair");
  EXPECT_EQ(words_of("Où est l’été à Noël, cœur?"), "ou est l ete a noel cœur");
  EXPECT_EQ(words_of("STRASSE Straße STRAẞE über Äpfel"), "strasse strasse strasse uber apfel");
  EXPECT_EQ(words_of("İstanbul ISTANBUL Iğdır"), "istanbul istanbul igdır");
  EXPECT_EQ(words_of("Việt Nam Tiếng Việt"), "viet nam tieng viet");
  EXPECT_EQ(words_of("Łódź Žižek Åse"), "łodz zizek ase");
}

TEST(Words, Compatibility) {
  EXPECT_EQ(words_of("ﬁne Ａｂｃ１２ x² Ⅷ ① ℌ 𝔘𝕟"), "fine abc12 x2 viii 1 h un");
  EXPECT_EQ(words_of("½ 1½"), "½ 1½") << "decomposed it would be cut in two by the fraction slash";
  EXPECT_EQ(words_of("Foo™ 5㎏ ⓐ"), "foo 5") << "symbols separate";
}

TEST(Words, GreekAndCyrillic) {
  EXPECT_EQ(words_of("Ἀθῆναι ΑΘΗΝΑΙ αθηναι"), "αθηναι αθηναι αθηναι");
  EXPECT_EQ(words_of("ΣΊΣΥΦΟΣ Σίσυφος ᾳ"), "σισυφοσ σισυφοσ α");
  EXPECT_EQ(words_of("Привет, МИР! ёлка Йод"), "привет мир елка иод");
}

TEST(Words, ArabicAndHebrew) {
  EXPECT_EQ(words_of("كِتَابٌ كـتـاب كتاب"), "كتاب كتاب كتاب");
  EXPECT_EQ(words_of("أحمد آخر"), "احمد اخر") << "hamza and madda are marks above the alef";
  EXPECT_EQ(words_of("\uFEE1\uFEFB"), "\u0645\u0644\u0627") << "presentation forms";
  EXPECT_EQ(words_of("\u0640"), "") << "a tatweel alone";
  EXPECT_EQ(words_of("שָׁלוֹם שלום"), "שלום שלום");
}

TEST(Words, IndicScriptsKeepTheirVowels) {
  EXPECT_EQ(words_of("हिन्दी हिंदी हीन"), "हिन्दी हिंदी हीन");
  EXPECT_EQ(words_of("क़लम \u0915\u093C\u0932\u092E कलम"), "कलम कलम कलम") << "the nukta is stripped";
  EXPECT_EQ(words_of("বাংলা தமிழ் తెలుగు ಕನ್ನಡ മലയാളം සිංහල བོད་ཡིག"), "বাংলা தமிழ் తెలుగు ಕನ್ನಡ മലയാളം සිංහල བོད ཡིག");
  EXPECT_EQ(words_of("\u09CB \u09C7\u09BE"), "\u09C7\u09BE \u09C7\u09BE") << "one canonical form";
}

TEST(Words, ChineseCharactersAndPairs) {
  EXPECT_EQ(places_of("東京都"), (Lines{"東 0-1 @0", "+東京 0-2 @0", "京 1-2 @1", "+京都 1-3 @1", "都 2-3 @2"}));
  EXPECT_EQ(words_of("北京,上海 人"), "北 +北京 京 上 +上海 海 人");
  EXPECT_EQ(words_of("2024年iPhone发布"), "2024 年 iphone 发 +发布 布");
  EXPECT_EQ(words_of("\u2F08\U00020000\u3007"), "人 +人𠀀 𠀀 +𠀀〇 〇") << "a radical, an ideograph beyond the first plane, zero";
}

TEST(Words, JapaneseKana) {
  EXPECT_EQ(words_of("カー"), "カ +カー ー");
  EXPECT_EQ(words_of("ｶﾞｰ"), words_of("ガー"));
  EXPECT_EQ(words_of("か\u3099"), "か");
  EXPECT_EQ(words_of("が"), "か");
  EXPECT_EQ(words_of("ひと・もの"), "ひ +ひと と も +もの の");
  EXPECT_EQ(words_of("人々"), "人 +人々 々");
  EXPECT_EQ(words_of("ㄅㄆ"), "ㄅ +ㄅㄆ ㄆ");
}

TEST(Words, KoreanRunsAreOrdinaryWords) {
  EXPECT_EQ(places_of("한국어 문서"), (Lines{"한국어 0-3 @0", "문서 4-6 @1"}));
  EXPECT_EQ(words_of("韓國의"), "韓 +韓國 國 의");
}

TEST(Words, SoutheastAsianCharactersAndPairs) {
  EXPECT_EQ(places_of("น้ำ"), (Lines{"น 0-2 @0", "+นา 0-3 @0", "า 2-3 @1"}));
  EXPECT_EQ(words_of("ไทย ๒๕"), "ไ +ไท ท +ทย ย ๒๕");
  EXPECT_EQ(words_of("ລາວ"), "ລ +ລາ າ +າວ ວ");
  EXPECT_EQ(words_of("ខ្មែរ"), "ខ +ខម ម +មរ រ");
  EXPECT_EQ(words_of("မြန်မာ"), "မ +မန န +နမ မ");
}

TEST(Words, Emoji) {
  EXPECT_EQ(places_of("ok🎉🎉❤\uFE0F x"), (Lines{"ok 0-2 @0", "🎉 2-3 @1", "🎉 3-4 @2", "❤ 4-6 @3", "x 7-8 @4"}));
  EXPECT_EQ(words_of("👍🏽"), "👍") << "the colour of the skin separates";
  EXPECT_EQ(words_of("東🎉京"), "東 🎉 京") << "no pair across the emoji";
}

TEST(Words, StrippedCharactersBelongToTheWordBefore) {
  EXPECT_EQ(places_of("a\u0301\u0302 b"), (Lines{"a 0-3 @0", "b 4-5 @1"}));
  EXPECT_EQ(places_of("\u0301a"), (Lines{"a 1-2 @0"})) << "a mark without a base belongs to none";
  EXPECT_EQ(places_of("co\u00ADop\u200D\u200Cer\uFE0Fate"), (Lines{"cooperate 0-13 @0"}));
  EXPECT_EQ(places_of("東\u3099京"), (Lines{"東 0-2 @0", "+東京 0-3 @0", "京 2-3 @1"})) << "nor does it break a pair";
  EXPECT_EQ(places_of("東 \u0301京"), (Lines{"東 0-1 @0", "京 3-4 @1"}));
}

TEST(Words, SplitsLongWords) {
  const std::string a255 = repeated("a", 255);
  EXPECT_EQ(words_of(a255), a255);
  EXPECT_EQ(places_of(a255 + "Bc d"), (Lines{a255 + " 0-255 @0", "bc 255-257 @1", "d 258-259 @2"}));
  EXPECT_EQ(places_of(a255 + "é"), (Lines{a255 + " 0-255 @0", "e 255-256 @1"}));
  // A long word is never cut within a code point or its folded text.
  const std::string two_bytes = repeated("ж", 127);
  EXPECT_EQ(places_of(repeated("Ж", 128)), (Lines{two_bytes + " 0-127 @0", "ж 127-128 @1"}));
  const std::string a254 = repeated("a", 254);
  EXPECT_EQ(places_of(a254 + "ß"), (Lines{a254 + " 0-254 @0", "ss 254-255 @1"}));
  EXPECT_EQ(places_of(a255 + "\u0301 b"), (Lines{a255 + " 0-256 @0", "b 257-258 @1"}));
}

TEST(Words, EndAfterTooManyMarks) {
  const auto marks = [](int count) { return repeated("\u0301", count); };
  EXPECT_EQ(places_of("a" + marks(1022) + "b"), (Lines{"ab 0-1024 @0"}));
  EXPECT_EQ(places_of("a" + marks(1023) + "b"), (Lines{"a 0-1024 @0", "b 1024-1025 @1"}));
  EXPECT_EQ(places_of("a" + marks(1000) + repeated("b", 100)),
            (Lines{"a" + repeated("b", 23) + " 0-1024 @0", repeated("b", 77) + " 1024-1101 @1"}));
  EXPECT_EQ(places_of("a" + marks(1000) + repeated("ж", 100)),
            (Lines{"a" + repeated("ж", 23) + " 0-1024 @0", repeated("ж", 77) + " 1024-1101 @1"}));
  EXPECT_EQ(places_of("a" + marks(1024) + "b"), (Lines{"a 0-1024 @0", "b 1025-1026 @1"}));
  EXPECT_EQ(places_of("a" + marks(5000)), (Lines{"a 0-1024 @0"}));
  EXPECT_EQ(places_of("東" + marks(1024) + "京"), (Lines{"東 0-1024 @0", "京 1025-1026 @1"})) << "and forms no pair";
}

TEST(Words, DoNotDependOnPieces) {
  Words words;
  Word word;
  EXPECT_FALSE(words.next(word));
  const std::string first = "Hal";
  words.feed(first);
  EXPECT_FALSE(words.next(word)) << "it may go on";
  words.feed("");
  EXPECT_FALSE(words.next(word));
  const std::string second = "LO 東";
  words.feed(second);
  ASSERT_TRUE(words.next(word));
  EXPECT_EQ(word.text, "hallo");
  EXPECT_EQ(word.end, 5);
  EXPECT_FALSE(words.next(word));
  const std::string third = "京";
  words.feed(third);
  ASSERT_TRUE(words.next(word));
  EXPECT_EQ(word.text, "東");
  EXPECT_FALSE(words.next(word));
  words.finish();
  ASSERT_TRUE(words.next(word));
  EXPECT_EQ(word.text, "東京");
  EXPECT_TRUE(word.pair);
  ASSERT_TRUE(words.next(word));
  EXPECT_EQ(word.text, "京");
  EXPECT_EQ(word.position, 2);
  EXPECT_FALSE(words.next(word));
  EXPECT_FALSE(words.next(word));
}

// Every code point folds to word characters that fold to themselves, so that a word from the index can be tokenized
// again.
TEST(Words, FoldingTwiceChangesNothing) {
  for (char32_t c = 1; c <= 0x10FFFF; ++c) {
    if (c >= 0xD800 && c <= 0xDFFF) continue;
    std::string text;
    utf8::append(text, c);
    const Lines once = listed(text, false);
    if (once.empty()) continue;
    ASSERT_EQ(once.size(), 1u) << std::hex << static_cast<unsigned>(c);
    ASSERT_EQ(listed(once.front(), false), once) << std::hex << static_cast<unsigned>(c);
    ASSERT_EQ(once.front().find_first_of(std::string_view("\0\x01 \n", 4)), std::string::npos);
  }
}

}  // namespace
}  // namespace ladder::store
