#include "ladder_process.h"

#include "base/limits.h"
#include "json/parse.h"
#include "support/sanitizer_options.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <stdexcept>

extern char** environ;

namespace ladder::e2e {
namespace {

constexpr uid_t kNobody = 65534;

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return ends;
}

std::vector<std::string> environment_of(const Surroundings& surroundings) {
  std::vector<std::string> variables;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view variable = *entry;
    const std::string name(variable.substr(0, variable.find('=')));
    const bool ours = name.starts_with("LADDER_") || name.starts_with("XDG_") || name == "HOME" || name == "NO_COLOR";
    if (!ours && name != "ASAN_OPTIONS" && !surroundings.environment.contains(name)) variables.emplace_back(variable);
  }
  if (!surroundings.environment.contains("ASAN_OPTIONS")) variables.push_back(test_support::child_sanitizer_options());
  variables.push_back("HOME=" + surroundings.folder.string());
  for (const auto& [name, value] : surroundings.environment) variables.push_back(name + "=" + value);
  return variables;
}

std::vector<char*> pointers(std::vector<std::string>& texts) {
  std::vector<char*> list;
  for (std::string& text : texts) list.push_back(text.data());
  list.push_back(nullptr);
  return list;
}

// Spawns without copying this process, whose memory maps are large under a sanitizer.
pid_t spawn(const Surroundings& surroundings, const std::array<int, 3>& streams, char* const* words, char* const* variables) {
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  for (int fd = 0; fd < 3; ++fd) ::posix_spawn_file_actions_adddup2(&actions, streams[static_cast<std::size_t>(fd)], fd);
  if (!surroundings.folder.empty()) ::posix_spawn_file_actions_addchdir_np(&actions, surroundings.folder.c_str());
  posix_spawnattr_t attributes;
  ::posix_spawnattr_init(&attributes);
  sigset_t defaults;
  ::sigemptyset(&defaults);
  ::sigaddset(&defaults, SIGPIPE);
  ::posix_spawnattr_setsigdefault(&attributes, &defaults);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  pid_t child = -1;
  const int failed = ::posix_spawn(&child, words[0], &actions, &attributes, words, variables);
  ::posix_spawn_file_actions_destroy(&actions);
  ::posix_spawnattr_destroy(&attributes);
  if (failed != 0) throw std::runtime_error(std::string("cannot start ") + words[0]);
  return child;
}

// Runs between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(const Surroundings& surroundings, char* const* words, char* const* variables) {
  if (!surroundings.folder.empty() && ::chdir(surroundings.folder.c_str()) != 0) ::_exit(126);
  if (surroundings.file_size_limit) {
    const rlimit limit = {*surroundings.file_size_limit, *surroundings.file_size_limit};
    if (::setrlimit(RLIMIT_FSIZE, &limit) != 0) ::_exit(126);
  }
  if (surroundings.unprivileged && ::geteuid() == 0 &&
      (::setgroups(0, nullptr) != 0 || ::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) {
    ::_exit(126);
  }
  ::execve(words[0], words, variables);
  ::_exit(127);
}

}  // namespace

struct Process::Collected {
  std::mutex mutex;
  std::condition_variable grown;
  std::string out, err;
  bool out_ended = false;

  void drain(int fd, std::string& into, bool is_out) {
    std::array<char, 65536> buffer;
    for (ssize_t got; (got = ::read(fd, buffer.data(), buffer.size())) != 0;) {
      if (got < 0 && errno == EINTR) continue;
      if (got < 0) break;
      const std::lock_guard lock(mutex);
      into.append(buffer.data(), static_cast<std::size_t>(got));
      grown.notify_all();
    }
    ::close(fd);
    const std::lock_guard lock(mutex);
    if (is_out) out_ended = true;
    grown.notify_all();
  }
};

boost::json::value Outcome::json() const {
  auto value = ladder::json::parse(out, limits::kGiB, limits::kMaxJsonDepth);
  if (value) return *std::move(value);
  ADD_FAILURE() << "not one JSON value: " << value.error().message << '\n' << summary();
  return {};
}

std::string Outcome::error_code() const {
  const boost::json::value value = json();
  const auto* object = value.if_object();
  const auto* error = object != nullptr ? object->if_contains("error") : nullptr;
  return error != nullptr ? std::string(error->at("code").as_string()) : "";
}

std::string Outcome::summary() const {
  return "exit code " + std::to_string(exit_code) + "\nstdout: " + out + "\nstderr: " + err;
}

Process::Process(const Surroundings& surroundings, const std::vector<std::string>& words) : collected_(new Collected) {
  std::signal(SIGPIPE, SIG_IGN);  // a child that ends early must not end the test
  std::vector<std::string> all = {surroundings.program};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<std::string> variables = environment_of(surroundings);
  const std::vector<char*> word_list = pointers(all), variable_list = pointers(variables);
  const auto in = make_pipe(), out = make_pipe(), err = make_pipe();
  const bool plain = !surroundings.file_size_limit && !surroundings.unprivileged;
  pid_ = plain ? spawn(surroundings, {in[0], out[1], err[1]}, word_list.data(), variable_list.data()) : ::fork();
  if (pid_ < 0) throw std::runtime_error("no fork");
  if (pid_ == 0) {
    ::dup2(in[0], STDIN_FILENO);
    ::dup2(out[1], STDOUT_FILENO);
    ::dup2(err[1], STDERR_FILENO);
    ::signal(SIGPIPE, SIG_DFL);
    become(surroundings, word_list.data(), variable_list.data());
  }
  for (const int fd : {in[0], out[1], err[1]}) ::close(fd);
  input_ = in[1];
  out_reader_ = std::thread([this, fd = out[0]] { collected_->drain(fd, collected_->out, true); });
  err_reader_ = std::thread([this, fd = err[0]] { collected_->drain(fd, collected_->err, false); });
}

Process::~Process() {
  if (!waited_) {
    signal(SIGKILL);
    static_cast<void>(wait());
  }
}

void Process::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return;  // the program closed its input; its outcome has the reason
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

void Process::close_input() {
  if (input_ >= 0) ::close(input_);
  input_ = -1;
}

void Process::signal(int number) const { ::kill(pid_, number); }

bool Process::has_ended() const {
  siginfo_t about{};
  return ::waitid(P_PID, static_cast<id_t>(pid_), &about, WEXITED | WNOHANG | WNOWAIT) == 0 && about.si_pid == pid_;
}

std::optional<std::string> Process::read_line(std::chrono::milliseconds wait_limit) {
  std::unique_lock lock(collected_->mutex);
  std::size_t end = std::string::npos;
  collected_->grown.wait_for(lock, wait_limit, [&] {
    end = collected_->out.find('\n', line_start_);
    return end != std::string::npos || collected_->out_ended;
  });
  if (end == std::string::npos) return std::nullopt;
  std::string line = collected_->out.substr(line_start_, end - line_start_);
  line_start_ = end + 1;
  return line;
}

Outcome Process::wait() {
  close_input();
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) continue;
  waited_ = true;
  out_reader_.join();
  err_reader_.join();
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return {code, collected_->out, collected_->err};
}

Outcome run(const Surroundings& surroundings, const std::vector<std::string>& words, std::string_view input) {
  Process process(surroundings, words);
  process.write(input);
  return process.wait();
}

}  // namespace ladder::e2e
