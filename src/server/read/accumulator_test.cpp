#include "server/read/accumulator.h"

#include <gtest/gtest.h>

namespace ladder::server {
namespace {

Result<std::string> sum(std::initializer_list<std::string_view> numbers) {
  ValueAccumulator accumulator(api::Metric::kSum, store::IndexKind::kNumber);
  for (const std::string_view number : numbers) EXPECT_TRUE(accumulator.add(json::value_of(number)));
  return accumulator.result();
}

TEST(ValueAccumulator, ReportsASumOutOfRange) {
  for (const auto& result : {sum({"1e308", "1e308"}), sum({"-1e308", "-1e308", "5"}), sum({"1e400"}), sum({"1e400", "-1e400"})}) {
    ASSERT_FALSE(result) << *result;
    EXPECT_EQ(result.error().code, Code::kResourceLimit);
    EXPECT_EQ(result.error().param, "field");
  }
}

TEST(ValueAccumulator, SumsIntegersExactly) {
  EXPECT_EQ(sum({}), "0");
  EXPECT_EQ(sum({"9007199254740993", "2"}), "9007199254740995");
  EXPECT_EQ(sum({"0.5", "0.25"}), "0.75");
  EXPECT_EQ(sum({"1e-400", "1"}), "1") << "too close to 0 to count";
  EXPECT_EQ(sum({"9223372036854775807", "1"}), "9.223372036854776e+18");
}

}  // namespace
}  // namespace ladder::server
