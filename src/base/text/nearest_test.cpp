#include "base/text/nearest.h"

#include <gtest/gtest.h>

#include <array>

namespace ladder {
namespace {

TEST(Nearest, SuggestsOnlyNearWords) {
  constexpr std::array<std::string_view, 3> kWords = {"ingest", "init", "read"};
  EXPECT_EQ(nearest("injest", kWords), "ingest");
  EXPECT_EQ(nearest("raed", kWords), "read");
  EXPECT_EQ(nearest("in", kWords), "ingest");
  EXPECT_EQ(nearest("frobnicate", kWords), "");
}

}  // namespace
}  // namespace ladder
