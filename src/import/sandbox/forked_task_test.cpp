#include "import/sandbox/forked_task.h"

#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <new>
#include <stdexcept>

namespace ladder::imports {
namespace {

TEST(ForkedTask, OutputIsReceived) {
  const std::string large(300'000, 'a');
  const auto answer = run_forked_task({5, 10, 1'000'000}, [&](const AnswerWriter& write) {
    write("one ");
    write(large);
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->abort_reason, "");
  EXPECT_EQ(answer->output, "one " + large);
}

TEST(ForkedTask, ACrashIsReportedAndEarlierOutputIsKept) {
  const auto answer = run_forked_task({5, 10, 1000}, [](const AnswerWriter& write) {
    write("before");
    std::abort();
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->output, "before");
  EXPECT_EQ(answer->abort_reason, "the reader crashed (SIGABRT)");
  const auto gone = run_forked_task({5, 10, 1000}, [](const AnswerWriter&) { _exit(3); });
  ASSERT_TRUE(gone.has_value());
  EXPECT_EQ(gone->abort_reason, "the reader gave up with code 3");
}

TEST(ForkedTask, AnExceptionEndsOnlyTheForkedProcess) {
  const pid_t here = getpid();
  const auto outcome = [&]() -> std::string {
    try {
      const auto answer = run_forked_task({5, 10, 1000}, [](const AnswerWriter& write) {
        write("before");
        throw std::runtime_error("thrown");
      });
      return answer ? answer->output + ", " + answer->abort_reason : "no process";
    } catch (const std::exception&) {
      if (getpid() != here) _exit(0);  // this is the copy of the test in the forked process
      return "thrown";
    }
  }();
  EXPECT_EQ(outcome, "before, the reader failed");
  const auto full = run_forked_task({5, 10, 1000}, [](const AnswerWriter&) { throw std::bad_alloc(); });
  ASSERT_TRUE(full.has_value());
  EXPECT_EQ(full->abort_reason, "the reader ran out of memory");
}

TEST(ForkedTask, AHangIsTerminated) {
  const auto asleep = run_forked_task({5, 1, 1000}, [](const AnswerWriter&) {
    for (;;) pause();
  });
  ASSERT_TRUE(asleep.has_value());
  EXPECT_EQ(asleep->abort_reason, "the reader timed out");
  const auto busy = run_forked_task({1, 60, 1000}, [](const AnswerWriter&) {
    volatile int turns = 0;
    while (turns >= 0) turns = 1;
  });
  ASSERT_TRUE(busy.has_value());
  EXPECT_EQ(busy->abort_reason, "the reader timed out");
}

TEST(ForkedTask, OutputOverTheLimitIsNotRead) {
  const auto answer = run_forked_task({5, 10, 100}, [](const AnswerWriter& write) {
    while (write(std::string(10'000, 'a'))) {
    }
  });
  ASSERT_TRUE(answer.has_value());
  EXPECT_EQ(answer->output, std::string(100, 'a'));
  EXPECT_EQ(answer->abort_reason, "");
}

}  // namespace
}  // namespace ladder::imports
