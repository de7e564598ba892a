#include "import/apart.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdlib>

namespace ladder::imports {
namespace {

TEST(Apart, WhatIsToldIsHeard) {
  const std::string large(300'000, 'a');
  const auto answer = run_apart({5, 10, 1'000'000}, [&](const Tell& tell) {
    tell("one ");
    tell(large);
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->broken_off, "");
  EXPECT_EQ(answer->told, "one " + large);
}

TEST(Apart, ACrashIsNamedAndWhatCameBeforeStays) {
  const auto answer = run_apart({5, 10, 1000}, [](const Tell& tell) {
    tell("before");
    std::abort();
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->told, "before");
  EXPECT_EQ(answer->broken_off, "the reader crashed (SIGABRT)");
  const auto gone = run_apart({5, 10, 1000}, [](const Tell&) { _exit(3); });
  ASSERT_TRUE(gone.has_value());
  EXPECT_EQ(gone->broken_off, "the reader gave up with code 3");
}

TEST(Apart, WhatHangsIsEnded) {
  const auto asleep = run_apart({5, 1, 1000}, [](const Tell&) {
    for (;;) pause();
  });
  ASSERT_TRUE(asleep.has_value());
  EXPECT_EQ(asleep->broken_off, "the reader took too long and was ended");
  const auto busy = run_apart({1, 60, 1000}, [](const Tell&) {
    volatile int turns = 0;
    while (turns >= 0) turns = 1;
  });
  ASSERT_TRUE(busy.has_value());
  EXPECT_EQ(busy->broken_off, "the reader took too long and was ended");
}

TEST(Apart, MoreThanIsWantedIsNotHeard) {
  const auto answer = run_apart({5, 10, 100}, [](const Tell& tell) {
    while (tell(std::string(10'000, 'a'))) {
    }
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->told, std::string(100, 'a'));
  EXPECT_EQ(answer->broken_off, "");
}

}  // namespace
}  // namespace ladder::imports
