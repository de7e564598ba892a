// Separate process ids: the program sees and reaches only its own processes, and all of them end with it.
#include "import/sandbox/layers.h"

#include <sched.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>

namespace ladder::imports {
namespace {

constexpr int kSignalled = 128;  // exit codes above are signals, as in a shell

// Waits for `process` and for everything that it leaves behind, and ends as it did.
[[noreturn]] void end_with(pid_t process) {
  close_range(STDIN_FILENO, STDOUT_FILENO, 0);  // the other ends wait until all copies are closed
  for (;;) {
    int status = 0;
    const pid_t ended = wait(&status);
    if (ended == process) _exit(WIFEXITED(status) ? WEXITSTATUS(status) : kSignalled + WTERMSIG(status));
    if (ended < 0 && errno != EINTR) _exit(kSignalled);
  }
}

}  // namespace

bool separate_processes() { return unshare(CLONE_NEWPID | CLONE_NEWIPC) == 0; }

// The first process of a namespace ignores most signals, therefore the program is the second.
Status enter_process_view() {
  for (int level = 0; level < 2; ++level) {
    const pid_t process = fork();
    if (process < 0) return fail(Code::kInternal, "too many processes");
    if (process > 0) end_with(process);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
  }
  return {};
}

}  // namespace ladder::imports
