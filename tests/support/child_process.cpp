#include "support/child_process.h"

#include "support/sanitizer_options.h"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <stdexcept>

extern char** environ;

namespace ladder::test_support {
namespace {

std::vector<char*> pointers(const std::vector<std::string>& words) {
  std::vector<char*> result;
  for (const std::string& word : words) result.push_back(const_cast<char*>(word.c_str()));
  result.push_back(nullptr);
  return result;
}

}  // namespace

ChildProcess::ChildProcess(const std::vector<std::string>& arguments, const Options& options) {
  std::array<int, 2> ends{};
  if (pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  std::vector<std::string> environment = options.environment;
  environment.push_back(child_sanitizer_options());  // the first of equal names counts
  for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);

  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, options.stdin_file.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
  const int failed =
      posix_spawn(&pid_, arguments.at(0).c_str(), &actions, nullptr, pointers(arguments).data(), pointers(environment).data());
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  output_ = ends[0];
  if (failed) throw std::runtime_error("cannot start " + arguments.at(0));
}

ChildProcess::~ChildProcess() {
  if (!exit_code_ && pid_ > 0) {
    ::kill(pid_, SIGKILL);
    wait();
  }
  close(output_);
}

bool ChildProcess::fill(std::chrono::milliseconds wait_limit) {
  pollfd watched{output_, POLLIN, 0};
  if (poll(&watched, 1, static_cast<int>(wait_limit.count())) <= 0) return false;
  std::array<char, 65536> buffer{};
  const ssize_t n = ::read(output_, buffer.data(), buffer.size());
  if (n <= 0) return false;
  buffered_.append(buffer.data(), static_cast<std::size_t>(n));
  return true;
}

std::optional<std::string> ChildProcess::read_line(std::chrono::milliseconds wait_limit) {
  while (true) {
    if (const std::size_t end = buffered_.find('\n'); end != std::string::npos) {
      std::string line = buffered_.substr(0, end);
      buffered_.erase(0, end + 1);
      return line;
    }
    if (!fill(wait_limit)) return std::nullopt;
  }
}

std::string ChildProcess::read_all() {
  while (fill(std::chrono::minutes(10))) {
  }
  return std::move(buffered_);
}

void ChildProcess::kill(int signal) { ::kill(pid_, signal); }

int ChildProcess::wait() {
  if (exit_code_) return *exit_code_;
  int status = 0;
  waitpid(pid_, &status, 0);
  exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return *exit_code_;
}

Finished run(const std::vector<std::string>& arguments, const ChildProcess::Options& options) {
  ChildProcess child(arguments, options);
  Finished finished;
  finished.output = child.read_all();
  finished.exit_code = child.wait();
  return finished;
}

}  // namespace ladder::test_support
