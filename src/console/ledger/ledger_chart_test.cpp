#include "console/ledger/ledger_chart.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

TEST(LedgerChart, DrawsLinesAtRoundNumbers) {
  EXPECT_EQ(scale_step(1), 1);
  EXPECT_EQ(scale_step(5), 1);
  EXPECT_EQ(scale_step(6), 2);
  EXPECT_EQ(scale_step(199'131), 50'000);
  EXPECT_EQ(scale_step(4'000'000'000'000), 1'000'000'000'000);
}

TEST(LedgerChart, ShortensNumbers) {
  EXPECT_EQ(scale_text(0), "0");
  EXPECT_EQ(scale_text(800), "800");
  EXPECT_EQ(scale_text(50'000), "50k");
  EXPECT_EQ(scale_text(1'500'000), "1.5M");
}

}  // namespace
}  // namespace ladder::console
