#include "base/text/columns.h"

#include <gtest/gtest.h>

namespace ladder {
namespace {

TEST(Columns, WideCharactersTakeTwoAndMarksNone) {
  EXPECT_EQ(columns_of(""), 0);
  EXPECT_EQ(columns_of("Süß"), 3);
  EXPECT_EQ(columns_of("東京"), 4);
  EXPECT_EQ(columns_of("🫖"), 2);
  EXPECT_EQ(columns_of("e\u0301"), 1);  // e and a combining acute
  EXPECT_EQ(columns_of("한글"), 4);
}

TEST(Columns, CutTextEndsWithAnEllipsis) {
  EXPECT_EQ(cut_to_columns("short", 5), "short");
  EXPECT_EQ(cut_to_columns("shorter", 5), "shor…");
  EXPECT_EQ(cut_to_columns("東京都庁", 6), "東京…");
  EXPECT_EQ(cut_to_columns("東京都庁", 8), "東京都庁");
  EXPECT_EQ(cut_to_columns("ae\u0301xyz", 3), "ae\u0301…");  // the mark stays with its letter
  for (std::int64_t columns = 1; columns < 12; ++columns) EXPECT_LE(columns_of(cut_to_columns("a東b🫖c한d글", columns)), columns);
}

std::vector<std::string> wrapped(std::string_view text, std::int64_t columns) {
  std::vector<std::string> lines;
  for (const LineRange& line : wrap_to_columns(text, columns)) lines.emplace_back(text.substr(line.begin, line.end - line.begin));
  return lines;
}

TEST(Columns, LinesAreBrokenAtSpaces) {
  using Lines = std::vector<std::string>;
  EXPECT_EQ(wrapped("", 4), Lines{""});
  EXPECT_EQ(wrapped("one", 4), Lines{"one"});
  EXPECT_EQ(wrapped("one two three", 7), (Lines{"one two", "three"}));
  EXPECT_EQ(wrapped("one   two", 4), (Lines{"one", "two"})) << "lines do not contain the spaces";
  EXPECT_EQ(wrapped("one two  ", 7), Lines{"one two"});
  EXPECT_EQ(wrapped("a longword b", 4), (Lines{"a", "long", "word", "b"}));
  EXPECT_EQ(wrapped("水火木 金", 4), (Lines{"水火", "木", "金"}));
  EXPECT_EQ(wrapped("水火木", 5), (Lines{"水火", "木"})) << "a character is in one line";
  EXPECT_EQ(wrapped("ab水cd", 4), (Lines{"ab水", "cd"}));
  EXPECT_EQ(wrapped("e\u0301e\u0301e\u0301", 2), (Lines{"e\u0301e\u0301", "e\u0301"})) << "marks stay with their letter";
}

TEST(Columns, NoLineIsTooLongAndNothingIsLost) {
  const std::string text = "Ein 水火木金土 sehr-langes-wort-ohne-pause e\u0301\u0301 und  mehr 🙂🙂 davon";
  for (std::int64_t columns = 2; columns < 60; ++columns) {
    std::size_t at = 0;
    for (const LineRange& line : wrap_to_columns(text, columns)) {
      EXPECT_LE(columns_of(std::string_view(text).substr(line.begin, line.end - line.begin)), columns);
      EXPECT_EQ(text.find_first_not_of(' ', at), line.begin);
      at = line.end;
    }
    EXPECT_EQ(text.find_first_not_of(' ', at), std::string::npos);
  }
}

}  // namespace
}  // namespace ladder
