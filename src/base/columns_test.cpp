#include "base/columns.h"

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

TEST(Columns, WhatIsCutSaysSo) {
  EXPECT_EQ(cut_to_columns("short", 5), "short");
  EXPECT_EQ(cut_to_columns("shorter", 5), "shor…");
  EXPECT_EQ(cut_to_columns("東京都庁", 6), "東京…");
  EXPECT_EQ(cut_to_columns("東京都庁", 8), "東京都庁");
  EXPECT_EQ(cut_to_columns("ae\u0301xyz", 3), "ae\u0301…");  // the mark stays with its letter
  for (std::int64_t columns = 1; columns < 12; ++columns) EXPECT_LE(columns_of(cut_to_columns("a東b🫖c한d글", columns)), columns);
}

}  // namespace
}  // namespace ladder
