#include "base/suspension.h"

#include <gtest/gtest.h>

#include <optional>
#include <thread>

namespace ladder {
namespace {

using namespace std::chrono_literals;

TEST(Suspension, WaitsForHoldsAndBlocksNewOnes) {
  Suspension suspension;
  std::optional<Suspension::Hold> hold(suspension);
  std::atomic<bool> stopped = false, go_on = false, begun = false;
  std::thread handler([&] {
    suspension.suspend(10s, [&] {
      stopped = true;
      while (!go_on) std::this_thread::sleep_for(1ms);
    });
  });
  while (!suspension.is_wanted()) std::this_thread::sleep_for(1ms);
  EXPECT_FALSE(stopped) << "a hold lives";
  hold.reset();
  while (!stopped) std::this_thread::sleep_for(1ms);
  std::thread writer([&] {
    const Suspension::Hold next(suspension);
    begun = true;
  });
  std::this_thread::sleep_for(20ms);
  EXPECT_FALSE(begun);
  go_on = true;
  handler.join();
  writer.join();
  EXPECT_TRUE(begun);
  EXPECT_FALSE(suspension.is_wanted());
}

TEST(Suspension, WaitsNoLongerThanItsTimeout) {
  Suspension suspension;
  const Suspension::Hold hold(suspension);
  bool stopped = false;
  suspension.suspend(20ms, [&] { stopped = true; });
  EXPECT_TRUE(stopped);
}

}  // namespace
}  // namespace ladder
