// Tests of match windows: short, cut between words, with exact ranges, and together covering every term.
#include "server/search/search_hit.h"

#include "base/text/format.h"
#include "base/text/utf8.h"

#include <gtest/gtest.h>

namespace ladder::server {
namespace {

using Range = api::MatchWindow::Range;

FoundText found(std::string field, std::string text, const std::string& query, bool strong = false) {
  FoundText made;
  made.field = std::move(field);
  made.strong = strong;
  made.is_metadata = strong;
  made.size_chars = utf8::count(text);
  made.ranges = text::find_terms(*text::parse_word_query(query, {.all = true, .forms = false, .fields = {}}), text, 256);
  made.text = std::move(text);
  return made;
}

std::string filler(int words, std::string_view word = "padding") {
  std::string text;
  for (int i = 0; i < words; ++i) text += format("{}{} ", word, i);
  return text;
}

std::string shown(const api::MatchWindow& window, const Range& range) {
  return std::string(utf8::slice(window.text, range.start_chars - window.start_chars, range.end_chars - range.start_chars));
}

TEST(MatchWindows, ShowAShortFieldCompletely) {
  const std::vector<FoundText> texts = {found("body", "The spare Key hangs here.", "key")};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].text, "The spare Key hangs here.");
  EXPECT_TRUE(windows[0].complete);
  EXPECT_EQ(windows[0].field_path, "body");
  EXPECT_EQ(windows[0].end_chars, 25);
  EXPECT_EQ(windows[0].matches, (std::vector<Range>{{10, 13}}));
}

TEST(MatchWindows, NameFieldsInTheFormatOfReads) {
  const std::vector<FoundText> texts = {found("a/b", "The spare Key hangs here.", "key")};
  EXPECT_EQ(choose_windows(texts)[0].field_path, "/a~1b");
}

TEST(MatchWindows, CutALongFieldBetweenWords) {
  const std::string text = filler(100) + "the needle lies here " + filler(100);
  const std::vector<FoundText> texts = {found("body", text, "needle")};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 1U);
  const api::MatchWindow& window = windows[0];
  EXPECT_FALSE(window.complete);
  EXPECT_LE(window.end_chars - window.start_chars, kMatchWindowChars);
  EXPECT_GT(window.end_chars - window.start_chars, kMatchWindowChars - 60);
  EXPECT_EQ(window.text, utf8::slice(text, window.start_chars, window.end_chars - window.start_chars));
  EXPECT_EQ(text[static_cast<std::size_t>(window.start_chars) - 1], ' ');
  EXPECT_EQ(text[static_cast<std::size_t>(window.end_chars)], ' ');
  EXPECT_NE(window.text.front(), ' ');
  EXPECT_NE(window.text.back(), ' ');
  ASSERT_EQ(window.matches.size(), 1U);
  EXPECT_EQ(shown(window, window.matches[0]), "needle");
  EXPECT_EQ(window.size_chars, utf8::count(text));
}

TEST(MatchWindows, CutTextWithoutSpacesAnywhere) {
  std::string text;
  for (int i = 0; i < 400; ++i) text += "山";
  text += "東京";
  for (int i = 0; i < 400; ++i) text += "川";
  const std::vector<FoundText> texts = {found("body", text, "東京")};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].end_chars - windows[0].start_chars, kMatchWindowChars);
  EXPECT_EQ(windows[0].matches, (std::vector<Range>{{400, 402}}));
  EXPECT_EQ(shown(windows[0], windows[0].matches[0]), "東京");
}

TEST(MatchWindows, UseContextFromOneSideAtTheEndsOfAField) {
  const std::string text = "first " + filler(100) + "last";
  for (const std::string word : {"first", "last"}) {
    const std::vector<FoundText> texts = {found("body", text, word)};
    const auto windows = choose_windows(texts);
    ASSERT_EQ(windows.size(), 1U);
    EXPECT_GT(windows[0].end_chars - windows[0].start_chars, kMatchWindowChars - 30);
    EXPECT_EQ(word == "first" ? windows[0].start_chars : windows[0].size_chars - windows[0].end_chars, 0);
  }
}

TEST(MatchWindows, ShowDistantTermsInSeveralWindows) {
  const std::string text =
      filler(80) + "alpha " + filler(80) + "beta " + filler(80) + "gamma " + filler(80) + "alpha " + filler(9);
  const std::vector<FoundText> texts = {found("title", "about beta", "alpha beta gamma"),
                                        found("body", text, "alpha beta gamma")};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 3U);
  std::string all;
  for (const api::MatchWindow& window : windows) {
    for (const Range& range : window.matches) all += shown(window, range) + " ";
  }
  EXPECT_EQ(all, "beta alpha gamma ");
}

TEST(MatchWindows, PreferTheWindowWithMoreTerms) {
  const std::string text = "alpha " + filler(80) + "alpha then beta " + filler(80) + "beta";
  const std::vector<FoundText> texts = {found("body", text, "alpha beta")};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 1U);
  ASSERT_EQ(windows[0].matches.size(), 2U);
  EXPECT_EQ(shown(windows[0], windows[0].matches[0]) + shown(windows[0], windows[0].matches[1]), "alphabeta");
}

TEST(MatchWindows, OrderTextBeforeTitleBeforeOtherFields) {
  const std::vector<FoundText> texts = {found("body", "alpha in the body", "alpha"), found("notes", "alpha again", "alpha"),
                                        found("title", "alpha", "alpha", true), found("more", "alpha too", "alpha")};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 3U);
  EXPECT_EQ(windows[0].field_path, "body");
  EXPECT_FALSE(windows[0].is_short_metadata);
  EXPECT_EQ(windows[1].field_path, "title");
  EXPECT_TRUE(windows[1].is_short_metadata);
  EXPECT_EQ(windows[2].field_path, "notes");
}

TEST(MatchWindows, OrderTextFirstEvenIfTheTitleHasMoreWords) {
  const std::vector<FoundText> texts = {found("title", "alpha beta gamma", "alpha beta gamma", true),
                                        found("body", "only gamma is here", "alpha beta gamma")};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 2U);
  EXPECT_EQ(windows[0].field_path, "body");
  EXPECT_EQ(windows[1].field_path, "title");
}

TEST(MatchWindows, ReadSmallFieldsFromTheStart) {
  const std::vector<FoundText> small = {found("body", filler(300) + "needle " + filler(50), "needle")};
  ASSERT_LE(small[0].size_chars, api::kWholeReadChars);
  EXPECT_EQ(choose_windows(small)[0].read_start, 0);
  EXPECT_GT(choose_windows(small)[0].start_chars, 0) << "the range still contains the match";
  const std::string before = filler(600) + "\nThis line leads to it.\n";
  const std::vector<FoundText> large = {found("body", before + "Here is the needle. " + filler(50), "needle")};
  EXPECT_EQ(choose_windows(large)[0].read_start, utf8::count(before) - utf8::count("This line leads to it.\n"));
}

TEST(MatchWindows, KeepTheOffsetOfAPassage) {
  const std::string before = filler(300), after = filler(300);
  const std::string text = before + "here is the needle " + after;
  FoundText passage;
  passage.field = "body";
  passage.size_chars = utf8::count(text);
  passage.start_chars = utf8::count(before) - 50;
  passage.text = std::string(utf8::slice(text, passage.start_chars, 120));
  const std::int64_t at = utf8::count(before) + 12;
  passage.ranges = {{0, at, at + 6}};
  const std::vector<FoundText> texts = {passage};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 1U);
  EXPECT_EQ(windows[0].text, utf8::slice(text, windows[0].start_chars, windows[0].end_chars - windows[0].start_chars));
  EXPECT_EQ(shown(windows[0], windows[0].matches.at(0)), "needle");
  EXPECT_FALSE(windows[0].complete);
}

TEST(MatchWindows, ShowAnOverlongPhraseCompletely) {
  std::string phrase;
  for (int i = 0; i < 16; ++i) phrase += std::string(30, static_cast<char>('a' + i)) + " ";
  phrase += "end";
  const std::vector<FoundText> texts = {found("body", filler(50) + phrase + " " + filler(50), '"' + phrase + '"')};
  const auto windows = choose_windows(texts);
  ASSERT_EQ(windows.size(), 1U);
  ASSERT_EQ(windows[0].matches.size(), 1U);
  EXPECT_EQ(shown(windows[0], windows[0].matches[0]), phrase);
}

TEST(MatchWindows, AreEmptyWithoutMatches) {
  EXPECT_TRUE(choose_windows({}).empty());
  const std::vector<FoundText> texts = {found("body", "nothing of it", "key")};
  EXPECT_TRUE(choose_windows(texts).empty());
}

}  // namespace
}  // namespace ladder::server
