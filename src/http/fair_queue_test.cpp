#include "http/fair_queue.h"

#include <gtest/gtest.h>
#include <algorithm>

namespace ladder::http {
namespace {

using namespace std::chrono_literals;
using Time = FairQueue::Time;

constexpr std::size_t kWorkers = 8, kCores = 2, kRoom = 1024;

// A queue, a manual clock, and the order in which tasks started.
class FairQueueTest : public ::testing::Test {
 protected:
  Admission push(const std::string& owner, const std::string& client, Weight weight = Weight::kCostly) {
    const std::string name = owner + client;
    return queue_.push({owner, client, weight}, [this, name] { began_.push_back(name); }, now_);
  }
  // Starts all work that may start.
  void begin_all() {
    while (auto job = queue_.pop(now_)) {
      job->task();
      running_.push_back(std::move(*job));
    }
  }
  void finish_first() {
    queue_.finish(running_.front(), now_ - running_.front().began);
    running_.erase(running_.begin());
  }
  // Runs one call of that length, alone.
  void call(const std::string& owner, const std::string& client, std::chrono::milliseconds takes) {
    ASSERT_TRUE(push(owner, client));
    begin_all();
    now_ += takes;
    while (!running_.empty()) finish_first();
    began_.clear();
  }

  FairQueue queue_{kWorkers, kCores, kRoom};
  Time now_{1h};
  std::vector<FairQueue::Job> running_;
  std::vector<std::string> began_;
};

TEST_F(FairQueueTest, ABacklogDoesNotDelayOtherClients) {
  call("o", "a", 300ms);
  for (int n = 0; n < 10; ++n) ASSERT_TRUE(push("o", "a"));
  begin_all();
  ASSERT_EQ(began_.size(), 1U) << "half of two cores";
  ASSERT_TRUE(push("o", "b"));
  begin_all();
  EXPECT_EQ(began_, (std::vector<std::string>{"oa", "ob"}));
}

TEST_F(FairQueueTest, RejectsCostlyCallsBeyondTheQueueLimit) {
  call("o", "a", 250ms);
  std::size_t taken = 0;
  Admission last;
  for (int n = 0; n < 48; ++n) {
    last = push("o", "a");
    if (last) ++taken;
    begin_all();
  }
  EXPECT_EQ(taken, 1 + FairQueue::kMaxCostlyWaiting);
  EXPECT_EQ(last.entry, Entry::kTooMany);
  EXPECT_EQ(last.retry_after, 4s) << "16 of a quarter of a second, one at a time";
  EXPECT_TRUE(push("o", "a", Weight::kLight)) << "light work continues";
  EXPECT_TRUE(push("o", "b")) << "other clients continue";
}

TEST_F(FairQueueTest, RejectsACallWhoseDeadlineWouldPass) {
  call("o", "a", 2s);
  for (int n = 0; n < 3; ++n) {
    ASSERT_TRUE(push("o", "a")) << "one runs and two wait: four seconds";
    begin_all();
  }
  const Admission more = push("o", "a");
  EXPECT_EQ(more.entry, Entry::kTooMany);
  EXPECT_EQ(more.retry_after, 4s);
  now_ += 2s;
  finish_first();
  begin_all();
  EXPECT_TRUE(push("o", "a"));
}

TEST_F(FairQueueTest, DoesNotLimitCheapCalls) {
  call("o", "a", 2ms);
  for (int n = 0; n < 100; ++n) ASSERT_TRUE(push("o", "a"));
  begin_all();
  EXPECT_EQ(running_.size(), kWorkers - kWorkers / 4) << "all workers except the reserved ones";
  now_ += 1s;  // they turn out to be costly
  EXPECT_EQ(push("o", "a").entry, Entry::kTooMany);
  finish_first();
  const std::size_t before = began_.size();
  begin_all();
  EXPECT_EQ(began_.size(), before) << "no more start until most are done";
}

TEST_F(FairQueueTest, AcceptsCallsOfUnknownCost) {
  for (int n = 0; n < 48; ++n) EXPECT_TRUE(push("o", "new"));
  begin_all();
  EXPECT_EQ(running_.size(), 1U) << "they start one at a time";
}

TEST_F(FairQueueTest, OwnersTakeTurnsHoweverManyClientsTheyHave) {
  for (int n = 0; n < 4; ++n) {
    for (const std::string client : {"a", "b", "c"}) ASSERT_TRUE(push("1", client, Weight::kLight));
    ASSERT_TRUE(push("2", "d", Weight::kLight));
  }
  begin_all();
  const std::vector<std::string> first(began_.begin(), began_.begin() + 8);
  EXPECT_EQ(std::ranges::count(first, "2d"), 4) << "every other turn";
  EXPECT_EQ(began_.size(), 16U);
}

TEST_F(FairQueueTest, ReservesWorkersForShortWork) {
  for (const std::string client : {"a", "b", "c", "d", "e", "f", "g", "h"}) ASSERT_TRUE(push("o", client));
  begin_all();
  EXPECT_EQ(running_.size(), 6U);
  ASSERT_TRUE(push("o", "i", Weight::kLight));
  begin_all();
  EXPECT_EQ(began_.back(), "oi");
}

TEST_F(FairQueueTest, LightWorkOvertakesCostlyWorkOfTheSameClient) {
  call("o", "a", 300ms);
  ASSERT_TRUE(push("o", "a"));
  ASSERT_TRUE(push("o", "a"));
  begin_all();
  ASSERT_TRUE(push("o", "a", Weight::kLight));
  begin_all();
  EXPECT_EQ(running_.size(), 2U);
  EXPECT_EQ(running_.back().weight, Weight::kLight);
}

TEST_F(FairQueueTest, WritesWaitAndAreNotRejected) {
  for (int n = 0; n < 40; ++n) ASSERT_TRUE(push("o", "", Weight::kWrite));
  begin_all();
  EXPECT_EQ(running_.size(), kWorkers / 2);
  now_ += 2s;
  while (!running_.empty()) {
    finish_first();
    begin_all();
  }
  EXPECT_EQ(began_.size(), 40U);
}

TEST_F(FairQueueTest, OneClientCannotFillTheQueue) {
  std::size_t taken = 0;
  while (push("o", "a", Weight::kLight)) ++taken;
  EXPECT_EQ(taken, kRoom / 2);
  EXPECT_TRUE(push("o", "b", Weight::kLight));
  EXPECT_EQ(queue_.waiting(), kRoom / 2 + 1);
}

TEST_F(FairQueueTest, ForgetsIdleClients) {
  for (int n = 0; n < 20'000; ++n) {
    ASSERT_TRUE(push("o", std::to_string(n)));
    begin_all();
    now_ += 1ms;
    finish_first();
  }
  EXPECT_EQ(queue_.waiting(), 0U);
  ASSERT_TRUE(push("o", "a"));
  EXPECT_TRUE(queue_.has_ready(now_));
}

}  // namespace
}  // namespace ladder::http
