#include "app/sync/secret_command.h"

#include <gtest/gtest.h>

#include <chrono>

namespace ladder::app {
namespace {

TEST(SecretCommand, PrintsTheSecretOnItsFirstLine) {
  EXPECT_EQ(run_secret_command("printf 'correct horse\\nuser: ann\\n'").value_or(""), "correct horse");
  EXPECT_FALSE(run_secret_command("exit 0"));
  EXPECT_FALSE(run_secret_command("echo secret; exit 1"));
}

TEST(SecretCommand, ACommandThatKeepsRunningWithoutOutputIsEnded) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_FALSE(run_secret_command("echo secret; exec >&-; sleep 40"));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(30));
}

}  // namespace
}  // namespace ladder::app
