// The shape of codes. tests/browser reads one with another program, as a camera does.
#include "pages/qr_code.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder::pages {
namespace {

TEST(QrCode, TakesTheSmallestVersionThatFits) {
  EXPECT_EQ(QrCode::of("")->size(), 21);
  EXPECT_EQ(QrCode::of(std::string(14, 'x'))->size(), 21);
  EXPECT_EQ(QrCode::of(std::string(15, 'x'))->size(), 25);
  EXPECT_EQ(QrCode::of(std::string(180, 'x'))->size(), 53);
  EXPECT_EQ(QrCode::of(std::string(181, 'x'))->size(), 57);
  EXPECT_EQ(QrCode::of(std::string(213, 'x'))->size(), 57);
  EXPECT_FALSE(QrCode::of(std::string(214, 'x')));
}

TEST(QrCode, EveryVersionHasItsFixedPatterns) {
  for (const std::size_t bytes : {1U, 20U, 40U, 60U, 80U, 100U, 120U, 150U, 175U, 210U}) {
    const auto code = QrCode::of(std::string(bytes, 'a'));
    ASSERT_TRUE(code);
    const int size = code->size();
    for (const auto& [x, y] : {std::pair{3, 3}, {size - 4, 3}, {3, size - 4}}) {
      EXPECT_TRUE(code->is_dark(x, y)) << "a corner";
      EXPECT_FALSE(code->is_dark(x + 2, y));
      EXPECT_TRUE(code->is_dark(x + 3, y));
    }
    for (int i = 8; i < size - 8; ++i) {
      EXPECT_EQ(code->is_dark(i, 6), i % 2 == 0) << "the timing pattern";
      EXPECT_EQ(code->is_dark(6, i), i % 2 == 0);
    }
    EXPECT_TRUE(code->is_dark(8, size - 8)) << "the module that is always dark";
    // The two copies of the format agree.
    for (int i = 0; i < 6; ++i) EXPECT_EQ(code->is_dark(8, i), code->is_dark(size - 1 - i, 8));
    // The upper bits name level M, which is 00, with the mask of the format: 10.
    EXPECT_TRUE(code->is_dark(0, 8));
    EXPECT_FALSE(code->is_dark(1, 8));
  }
}

}  // namespace
}  // namespace ladder::pages
