#include "app/sync/secret_command.h"

#include "base/text/format.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <system_error>
#include <thread>

namespace ladder::app {
namespace {

constexpr auto kMaxTime = std::chrono::seconds(60);
constexpr auto kEndTime = std::chrono::seconds(5);  // after the output ended
constexpr auto kLookEvery = std::chrono::milliseconds(20);
constexpr auto kStopEvery = std::chrono::milliseconds(100);  // looks for a stop while there is no output
constexpr std::size_t kMaxOutput = 64 * 1024;

int start(pid_t& process, const std::string& command, int output) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&files, output, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  std::string shell = "/bin/sh", flag = "-c", text = command;
  const std::array<char*, 4> words = {shell.data(), flag.data(), text.data(), nullptr};
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);  // so that all its processes can be ended
  const int failed = posix_spawn(&process, shell.c_str(), &files, &attributes, words.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  return failed;
}

// Returns whether the output ended before the time limit and before the stop.
bool read_output(int descriptor, std::string& into, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kMaxTime;
  std::array<char, 4096> piece{};
  while (into.size() < kMaxOutput) {
    if (stop.stop_requested() || std::chrono::steady_clock::now() > deadline) return false;
    pollfd source{descriptor, POLLIN, 0};
    const int ready = poll(&source, 1, static_cast<int>(kStopEvery.count()));
    if (ready == 0 || (ready < 0 && errno == EINTR)) continue;
    if (ready < 0) return false;
    const ssize_t count = read(descriptor, piece.data(), piece.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    into.append(piece.data(), static_cast<std::size_t>(count));
  }
  return false;
}

// Returns whether the process ended soon. Its output can end before, if it closes it.
bool has_exited(pid_t process, int& status, const std::stop_token& stop) {
  const auto deadline = std::chrono::steady_clock::now() + kEndTime;
  while (waitpid(process, &status, WNOHANG) != process) {
    if (stop.stop_requested() || std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(kLookEvery);
  }
  return true;
}

}  // namespace

Result<std::string> run_secret_command(const std::string& command, const std::stop_token& stop) {
  std::array<int, 2> output{};
  if (pipe2(output.data(), O_CLOEXEC) != 0) return fail(Code::kStoreUnavailable, "too many open files");
  pid_t process = -1;
  const int failed = start(process, command, output[1]);
  close(output[1]);
  std::string text;
  const bool ended = failed == 0 && read_output(output[0], text, stop);
  close(output[0]);
  if (failed != 0)
    return fail(Code::kInvalidRequest,
                format("the command for the password cannot be started: {}", std::generic_category().message(failed)));
  int status = 0;
  const bool is_over = ended && has_exited(process, status, stop);
  if (!is_over) {
    kill(-process, SIGKILL);
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
  }
  if (!is_over && stop.stop_requested()) return fail(Code::kCancelled, "stopped");
  if (!is_over)
    return fail(Code::kInvalidRequest, "the command for the password did not end within a minute; run it by hand once");
  text = text.substr(0, text.find_first_of("\r\n"));
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && !text.empty()) return text;
  return fail(Code::kInvalidRequest, "the command for the password failed or printed nothing; run it by hand to see why");
}

}  // namespace ladder::app
