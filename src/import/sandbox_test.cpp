// The cage, tried from inside by a process of its own.
#include "import/sandbox.h"

#include <gtest/gtest.h>

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

namespace ladder::imports {
namespace {

// Runs `attempt` in the cage; it returns 0 when what it tried was refused as it should be.
int in_cage(int (*attempt)()) {
  const pid_t child = fork();
  if (child == 0) _exit(enter_sandbox() ? attempt() : 99);
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

TEST(Sandbox, HasNoNetwork) {
  EXPECT_EQ(in_cage([] { return socket(AF_INET, SOCK_STREAM, 0) < 0 && errno == EPERM ? 0 : 1; }), 0);
  EXPECT_EQ(in_cage([] { return socket(AF_UNIX, SOCK_STREAM, 0) < 0 && errno == EPERM ? 0 : 1; }), 0);
}

TEST(Sandbox, WritesNoFilesAndReadsThem) {
  EXPECT_EQ(in_cage([] { return open("/tmp/ladder-cage-test", O_WRONLY | O_CREAT, 0600) < 0 && errno == EPERM ? 0 : 1; }), 0);
  EXPECT_EQ(in_cage([] { return unlink("/tmp/ladder-cage-test") < 0 && errno == EPERM ? 0 : 1; }), 0);
  EXPECT_EQ(in_cage([] { return open("/dev/null", O_RDONLY) >= 0 ? 0 : 1; }), 0);
}

TEST(Sandbox, StartsNoPrograms) {
  EXPECT_EQ(in_cage([] {
              execl("/bin/true", "true", nullptr);
              return errno == EPERM ? 0 : 1;
            }),
            0);
}

}  // namespace
}  // namespace ladder::imports
