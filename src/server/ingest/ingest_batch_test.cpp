// Tests that the batch budget follows the duration of writes.
#include "server/ingest/ingest_batch.h"

#include <gtest/gtest.h>

namespace ladder::server {
namespace {

using std::chrono::milliseconds;

// Adds lines until the budget is reached.
std::int64_t fill(const BatchBudget& budget, Batch& batch, std::size_t bytes_each) {
  batch.clear();
  std::int64_t line = 0;
  while (!budget.reached(batch)) {
    batch.open_slot();
    batch.keep({++line, line - 1, {}, 0}, bytes_each);
  }
  return line;
}

TEST(BatchBudget, GrowsForFastWritesAndShrinksForSlowOnes) {
  BatchBudget budget(false);
  Batch batch;
  const std::int64_t first = fill(budget, batch, 300);
  budget.learn(batch, milliseconds(2));
  const std::int64_t second = fill(budget, batch, 300);
  EXPECT_EQ(second, 2 * first);
  for (int i = 0; i < 20; ++i) {
    budget.learn(batch, milliseconds(2));
    fill(budget, batch, 300);
  }
  EXPECT_EQ(fill(budget, batch, 300), 2000);
  for (int i = 0; i < 20; ++i) {
    budget.learn(batch, milliseconds(60));
    fill(budget, batch, 300);
  }
  EXPECT_EQ(fill(budget, batch, 300), 128);
  budget.learn(batch, milliseconds(2));
  EXPECT_EQ(fill(budget, batch, 300), 256);
}

TEST(BatchBudget, ConvergesToTheTargetDuration) {
  BatchBudget budget(false);
  Batch batch;
  for (int i = 0; i < 50; ++i) {
    const std::int64_t lines = fill(budget, batch, 300);
    budget.learn(batch, std::chrono::microseconds(50) * lines);  // 500 lines take 25 ms
  }
  EXPECT_NEAR(static_cast<double>(fill(budget, batch, 300)), 500.0, 75.0);
}

TEST(BatchBudget, IgnoresPartialBatches) {
  BatchBudget budget(false);
  Batch batch;
  const std::int64_t before = fill(budget, batch, 300);
  batch.clear();
  batch.open_slot();
  batch.keep({1, 0, {}, 0}, 300);
  budget.learn(batch, milliseconds(500));
  budget.learn(batch, milliseconds(1));
  EXPECT_EQ(fill(budget, batch, 300), before);
}

TEST(BatchBudget, LimitsBytes) {
  BatchBudget budget(false);
  Batch batch;
  EXPECT_LE(fill(budget, batch, 400'000), 6);
}

TEST(BatchBudget, IsLargerInBulk) {
  BatchBudget budget(true);
  Batch batch;
  for (int i = 0; i < 20; ++i) {
    fill(budget, batch, 300);
    budget.learn(batch, milliseconds(60));
  }
  EXPECT_EQ(fill(budget, batch, 300), 20'000);
  EXPECT_LE(fill(budget, batch, 400'000), 21);
}

TEST(Batch, CountsWritesAndRejectionsTogether) {
  Batch batch;
  EXPECT_TRUE(batch.empty());
  batch.open_slot().key = "a";
  batch.keep({1, 0, {}, 0}, 10);
  batch.open_slot().key = "dropped";
  batch.refuse({{2, 1, {}, 0}, {Code::kInvalidRecord, "no"}});
  batch.open_slot().key = "b";
  batch.keep({4, 2, {}, 0}, 10);
  ASSERT_EQ(batch.writes().size(), 2U);
  EXPECT_EQ(batch.writes()[1].key, "b");
  EXPECT_EQ(batch.lines(), 3);
  EXPECT_EQ(batch.last_line(), 4);
  batch.clear();
  EXPECT_TRUE(batch.empty());
  EXPECT_TRUE(batch.writes().empty());
}

}  // namespace
}  // namespace ladder::server
