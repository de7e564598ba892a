#include "base/text/format.h"
#include "import/program/program.h"
#include "import/sandbox/sandbox.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

namespace ladder::imports {
namespace {

constexpr int kCannotRun = 127;  // as in a shell

// Runs in the forked process.
[[noreturn]] void run(const std::filesystem::path& program, const std::filesystem::path& path, bool network, int input,
                      int output) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  std::signal(SIGPIPE, SIG_DFL);
  if (dup2(input, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0) _exit(kCannotRun);
  close_range(STDERR_FILENO + 1, ~0U, 0);
  if (const Status entered = enter_program_sandbox({program, {path}, network}); !entered) {
    std::fprintf(stderr, "%s: %s\n", program.c_str(), entered.error().message.c_str());
    _exit(kCannotRun);
  }
  std::string first = program.string(), second = path.string();
  const std::array<char*, 3> words = {first.data(), second.data(), nullptr};
  std::array<std::string, 5> settings = {"PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/nonexistent", "LANG=C.UTF-8", "TZ=UTC",
                                         "PYTHONDONTWRITEBYTECODE=1"};
  std::array<char*, settings.size() + 1> environment{};
  for (std::size_t i = 0; i < settings.size(); ++i) environment[i] = settings[i].data();
  execve(first.c_str(), words.data(), environment.data());
  std::fprintf(stderr, "%s: %s\n", first.c_str(), std::generic_category().message(errno).c_str());
  _exit(kCannotRun);
}

}  // namespace

Result<RunningProgram> start_program(const std::filesystem::path& program, const std::filesystem::path& path, bool network) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(program, error) || access(program.c_str(), X_OK) != 0)
    return fail(Code::kInvalidRequest, format("'{}' is not a program that can be run", program.string()), "with");
  std::array<int, 2> orders{}, lines{};
  if (pipe2(orders.data(), O_CLOEXEC) != 0 || pipe2(lines.data(), O_CLOEXEC) != 0)
    return fail(Code::kInternal, "too many open files");
  const pid_t process = fork();
  if (process < 0) return fail(Code::kInternal, "too many processes");
  if (process == 0) run(program, path, network, orders[0], lines[1]);
  close(orders[0]);
  close(lines[1]);
  return RunningProgram{program.filename().string(), path.string(), orders[1], lines[0], process};
}

}  // namespace ladder::imports
