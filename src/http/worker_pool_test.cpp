#include "http/worker_pool.h"

#include <gtest/gtest.h>
#include <atomic>
#include <latch>

namespace ladder::http {
namespace {

TEST(WorkerPool, RunsEverythingOnce) {
  std::atomic<int> ran = 0;
  std::latch done(1000);
  WorkerPool pool(4, 2000);
  for (int n = 0; n < 1000; ++n) {
    ASSERT_TRUE(pool.submit({}, [&] {
      ++ran;
      done.count_down();
    }));
  }
  done.wait();
  EXPECT_EQ(ran, 1000);
  EXPECT_EQ(pool.queue_length(), 0U);
}

TEST(WorkerPool, TheQueueIsBounded) {
  std::latch began(1), release(1);
  std::atomic<int> ran = 0;
  WorkerPool pool(1, 2);
  ASSERT_TRUE(pool.submit({}, [&] {
    began.count_down();
    release.wait();
  }));
  began.wait();
  EXPECT_TRUE(pool.submit({}, [&] { ++ran; }));
  EXPECT_TRUE(pool.submit({}, [&] { ++ran; }));
  EXPECT_FALSE(pool.submit({}, [&] { ++ran; }));
  pool.submit_always({}, [&] { ++ran; });
  EXPECT_EQ(pool.queue_length(), 3U);
  std::latch last(1);
  pool.submit_always({}, [&] { last.count_down(); });
  release.count_down();
  last.wait();
  EXPECT_EQ(ran, 3);
}

TEST(WorkerPool, StopDropsQueuedWork) {
  std::latch began(1), release(1);
  std::atomic<int> ran = 0;
  auto held = std::make_shared<int>(1);
  WorkerPool pool(1, 1 << 20);  // never full: only stop() rejects work
  ASSERT_TRUE(pool.submit({}, [&] {
    began.count_down();
    release.wait();
    ++ran;
  }));
  began.wait();
  ASSERT_TRUE(pool.submit({}, [&ran, held] { ran += 100; }));
  std::thread stopper([&] { pool.stop(); });
  while (pool.submit({}, [] {})) std::this_thread::yield();
  release.count_down();
  stopper.join();
  EXPECT_EQ(ran, 1);
  EXPECT_EQ(held.use_count(), 1) << "dropped work releases its resources";
  pool.submit_always({}, [&] { ++ran; });
  pool.stop();
  EXPECT_EQ(ran, 1);
}

}  // namespace
}  // namespace ladder::http
