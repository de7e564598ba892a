// A full check reports its progress (store.h, check_invariants).
#include "base/text/format.h"
#include "store_suite.h"

#include <map>

namespace ladder::store {
namespace {

class CheckStepsSuite : public StoreSuite {};
LADDER_FOR_EVERY_ENGINE(CheckStepsSuite);

TEST_P(CheckStepsSuite, EveryStepIsReportedAndRecordsAreCounted) {
  constexpr std::int64_t kRecords = 300;
  for (std::int64_t n = 0; n < kRecords; ++n) world().put(format("key-{}", n), R"({"title":"1"})");
  std::map<std::string, std::int64_t> furthest;  // by step
  std::int64_t all = 0;
  EXPECT_EQ(must(store().check_invariants([&](const CheckStep& step) {
              std::int64_t& done = furthest[std::string(step.doing)];
              EXPECT_GE(step.done, done) << step.doing << " goes back";
              done = step.done;
              all = std::max(all, step.all);
              EXPECT_TRUE(step.all == 0 || step.done <= step.all) << step.doing;
            })),
            std::vector<std::string>());
  EXPECT_EQ(all, kRecords);
  EXPECT_TRUE(furthest.contains("comparing the indexes"));
  EXPECT_GT(furthest["reading every record"], 0);
  EXPECT_GT(furthest["looking up what every record has in the indexes"], 0);
}

}  // namespace
}  // namespace ladder::store
