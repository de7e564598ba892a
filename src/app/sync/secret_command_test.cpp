#include "app/sync/secret_command.h"

#include <gtest/gtest.h>

#include <chrono>
#include <stop_token>
#include <thread>

namespace ladder::app {
namespace {

TEST(SecretCommand, PrintsTheSecretOnItsFirstLine) {
  EXPECT_EQ(run_secret_command("printf 'correct horse\\nuser: ann\\n'", {}).value_or(""), "correct horse");
  EXPECT_FALSE(run_secret_command("exit 0", {}));
  EXPECT_FALSE(run_secret_command("echo secret; exit 1", {}));
}

TEST(SecretCommand, ACommandThatKeepsRunningWithoutOutputIsEnded) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(run_secret_command("echo secret; exec >&-; sleep 40", {}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

// A server that stops, or a source that is paused, does not wait for it.
TEST(SecretCommand, AStopEndsIt) {
  for (const char* command : {"sleep 40", "echo secret; exec >&-; sleep 40", "trap '' TERM; sleep 40 & wait; wait"}) {
    std::stop_source stop;
    const std::jthread stopper([&] {
      std::this_thread::sleep_for(std::chrono::milliseconds(200));
      stop.request_stop();
    });
    const auto begin = std::chrono::steady_clock::now();
    const auto secret = run_secret_command(command, stop.get_token());
    ASSERT_FALSE(secret);
    EXPECT_EQ(secret.error().code, Code::kCancelled) << secret.error().message;
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(5)) << command;
  }
}

}  // namespace
}  // namespace ladder::app
