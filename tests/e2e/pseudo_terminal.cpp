#include "pseudo_terminal.h"

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>

namespace ladder::e2e {
namespace {

[[noreturn]] void become(const Owner& owner, const std::vector<std::string>& words, const char* no_color, const char* term) {
  ::setenv("LADDER_DB", owner.place().location().c_str(), 1);
  ::setenv("HOME", owner.place().folder().path().c_str(), 1);
  if (::chdir(owner.place().folder().path().c_str()) != 0) ::_exit(126);
  ::setenv("PATH", (std::filesystem::path(LADDER_BINARY).parent_path().string() + ":/usr/bin:/bin").c_str(), 1);
  ::setenv("TERM", term, 1);
  ::setenv("PAGER", "cat", 1);
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME", "DISPLAY", "WAYLAND_DISPLAY", "BROWSER",
                           "ZDOTDIR", "LADDER_OWNER", "LADDER_TOKEN"})
    ::unsetenv(name);
  no_color != nullptr ? ::setenv("NO_COLOR", no_color, 1) : ::unsetenv("NO_COLOR");
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  ::execvp(pointers.front(), pointers.data());
  ::_exit(127);
}

}  // namespace

PseudoTerminal::PseudoTerminal(const Owner& owner, const std::vector<std::string>& words, const char* no_color,
                               const char* term) {
  const winsize size = {40, 120, 0, 0};
  child_ = ::forkpty(&terminal_, nullptr, nullptr, &size);
  if (child_ == 0) become(owner, words, no_color, term);
}

PseudoTerminal::~PseudoTerminal() {
  if (child_ > 0) {
    ::kill(child_, SIGKILL);
    wait();
  }
  ::close(terminal_);
}

void PseudoTerminal::press(std::string_view keys) {
  EXPECT_EQ(::write(terminal_, keys.data(), keys.size()), static_cast<ssize_t>(keys.size()));
}

bool PseudoTerminal::read_some(std::chrono::milliseconds wait_limit) {
  pollfd ready = {terminal_, POLLIN, 0};
  if (::poll(&ready, 1, static_cast<int>(wait_limit.count())) <= 0) return false;
  std::array<char, 4096> buffer;
  const ssize_t got = ::read(terminal_, buffer.data(), buffer.size());  // fails if the program has ended
  if (got > 0) shown_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

bool PseudoTerminal::shows(std::string_view text, std::chrono::seconds wait_limit) {
  const auto end = std::chrono::steady_clock::now() + wait_limit;
  for (;;) {
    if (const auto at = shown_.find(text, seen_); at != std::string::npos) {
      seen_ = at + text.size();
      return true;
    }
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(end - std::chrono::steady_clock::now());
    if (left.count() <= 0 || !read_some(left)) return false;
  }
}

int PseudoTerminal::wait() {
  while (read_some(std::chrono::seconds(30))) {
  }
  int status = 0;
  ::waitpid(child_, &status, 0);
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

std::string on_terminal(const Owner& owner, const std::string& command, const char* no_color) {
  PseudoTerminal terminal(owner, {"/bin/bash", "-c", command}, no_color);
  terminal.wait();
  return terminal.shown();
}

}  // namespace ladder::e2e
