#include "console/ledger/ledger_text.h"

#include <gtest/gtest.h>

namespace ladder::console {
namespace {

using server::ShownField;
using server::ShownRecord;
using server::Unit;

TEST(LedgerText, ListsTheFirstRangesAndCountsTheRest) {
  EXPECT_EQ(ranges_text({{0, 4'096}}), "0 to 4,096");
  EXPECT_EQ(ranges_text({{0, 100}, {200, 300}}), "0 to 100, 200 to 300");
  server::ShownRanges many;
  for (std::int64_t i = 0; i < 10; ++i) many.push_back({i * 10, i * 10 + 5});
  const std::string text = ranges_text(many);
  EXPECT_TRUE(text.starts_with("0 to 5, 10 to 15")) << text;
  EXPECT_TRUE(text.ends_with(" more ranges")) << text;
}

TEST(LedgerText, WholeFieldsComeBeforeParts) {
  ShownRecord record;
  record.fields = {ShownField{"text", Unit::kChars, {}, 9'000, {{0, 4'096}}},
                   ShownField{"subject", Unit::kChars, {}, 12, {{0, 12}}}, ShownField{"from", Unit::kChars, {}, 5, {{0, 5}}},
                   ShownField{"to", Unit::kChars, {}, 5, {}}};
  EXPECT_EQ(fields_text(record), "subject, from; text, 0 to 4,096");
}

TEST(LedgerText, SaysWhenOnlyTheExistenceWasShown) {
  ShownRecord record;
  EXPECT_EQ(fields_text(record), "only that it exists");
  record.fields = {ShownField{"file", Unit::kBytes, {}, 9'000, {{0, 9'000}}}};
  EXPECT_EQ(fields_text(record), "bytes 0 to 9,000 of the file");
}

}  // namespace
}  // namespace ladder::console
