#include "remote/readers.h"

#include <gtest/gtest.h>

namespace ladder::remote {
namespace {

using Ranges = std::vector<std::pair<std::int64_t, std::int64_t>>;

TEST(MarkedText, ConvertsMarksToRanges) {
  const MarkedText plain = without_marks("… 漢 <mark>lazy</mark> dog <mark>🙂</mark>");
  EXPECT_EQ(plain.text, "… 漢 lazy dog 🙂");
  EXPECT_EQ(plain.marked, (Ranges{{4, 8}, {13, 14}}));
}

TEST(MarkedText, KeepsUnpairedMarks) {
  for (const char* const text :
       {"a <mark> b", "a </mark> b", "</mark><mark>", "<mark></mark>", "<mark>a<mark>b</mark></mark>", ""}) {
    EXPECT_EQ(without_marks(text).text, text);
    EXPECT_TRUE(without_marks(text).marked.empty());
  }
}

}  // namespace
}  // namespace ladder::remote
