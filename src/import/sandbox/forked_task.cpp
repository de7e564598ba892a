#include "import/sandbox/forked_task.h"

#include "base/text/format.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <new>
#include <system_error>

namespace ladder::imports {
namespace {

constexpr int kThrew = 70, kOutOfMemory = 71;  // exit codes

bool write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t done = write(file, bytes.data(), bytes.size());
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(done));
  }
  return true;
}

// Never returns and never throws. It does not flush or free anything of the parent process.
[[noreturn]] void run_child_process(int out, const ForkedTaskLimits& limits,
                                    const std::function<void(const AnswerWriter&)>& work) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGALRM, SIG_DFL);
  // A descriptor left open here would keep the parent's pipes open.
  close(STDIN_FILENO);
  close(STDOUT_FILENO);
  rlimit cpu{};
  getrlimit(RLIMIT_CPU, &cpu);
  cpu.rlim_cur = std::min<rlim_t>(cpu.rlim_max, static_cast<rlim_t>(limits.cpu_seconds));
  setrlimit(RLIMIT_CPU, &cpu);
  alarm(static_cast<unsigned>(limits.wall_seconds));
  // An exception that escaped would unwind into the caller's code, which would then run twice.
  try {
    work([out](std::string_view bytes) { return write_all(out, bytes); });
  } catch (const std::bad_alloc&) {
    _exit(kOutOfMemory);
  } catch (...) {
    _exit(kThrew);
  }
  _exit(0);
}

std::string exit_reason(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == kThrew) return "the reader failed";
  if (WIFEXITED(status) && WEXITSTATUS(status) == kOutOfMemory) return "the reader ran out of memory";
  if (WIFEXITED(status)) return WEXITSTATUS(status) == 0 ? "" : format("the reader gave up with code {}", WEXITSTATUS(status));
  switch (WTERMSIG(status)) {
    case SIGXCPU:
    case SIGALRM:
      return "the reader timed out";
    case SIGKILL:
      return "the reader was killed by the system";
    default:
      return format("the reader crashed ({})", sigabbrev_np(WTERMSIG(status)) == nullptr
                                                   ? std::to_string(WTERMSIG(status))
                                                   : std::string("SIG") + sigabbrev_np(WTERMSIG(status)));
  }
}

std::string read_answer(int in, std::size_t max) {
  std::string output;
  std::array<char, 64 * 1024> piece;
  while (output.size() < max) {
    const ssize_t done = read(in, piece.data(), std::min(piece.size(), max - output.size()));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) break;
    output.append(piece.data(), static_cast<std::size_t>(done));
  }
  return output;
}

}  // namespace

Result<ForkedTaskAnswer> run_forked_task(const ForkedTaskLimits& limits, const std::function<void(const AnswerWriter&)>& work) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) {
    return fail(Code::kInternal, format("cannot create a pipe: {}", std::generic_category().message(errno)));
  }
  const pid_t process = fork();
  if (process == 0) {
    close(ends[0]);
    run_child_process(ends[1], limits, work);
  }
  const int problem = errno;
  close(ends[1]);
  if (process < 0) {
    close(ends[0]);
    return fail(Code::kInternal, format("cannot start a process: {}", std::generic_category().message(problem)));
  }
  ForkedTaskAnswer answer;
  answer.output = read_answer(ends[0], limits.answer_bytes);
  close(ends[0]);
  int status = 0;
  while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  answer.abort_reason = exit_reason(status);
  return answer;
}

}  // namespace ladder::imports
