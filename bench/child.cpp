#include "child.h"

#include "scene.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <utility>

namespace ladder::bench {

Child::Child(const std::vector<std::string>& words, const std::string& errors) {
  int input[2], output[2];
  if (::pipe2(input, O_CLOEXEC) != 0 || ::pipe2(output, O_CLOEXEC) != 0) give_up("no pipe can be made");
  std::vector<char*> pointers;
  for (const std::string& word : words) pointers.push_back(const_cast<char*>(word.c_str()));
  pointers.push_back(nullptr);
  id_ = ::vfork();  // keeps the cost of copying this process out of every measurement
  if (id_ < 0) give_up("no other process can be made");
  if (id_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGTERM);  // an interrupted benchmark leaves no server running
    ::dup2(input[0], STDIN_FILENO);
    ::dup2(output[1], STDOUT_FILENO);
    if (!errors.empty()) ::dup2(::open(errors.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0600), STDERR_FILENO);
    ::execvp(pointers.front(), pointers.data());
    ::_exit(127);
  }
  ::close(input[0]);
  ::close(output[1]);
  input_ = input[1];
  output_ = output[0];
}

Child::~Child() {
  ::close(input_);
  ::close(output_);
  if (id_ < 0) return;
  ::kill(id_, SIGTERM);
  ::waitpid(id_, nullptr, 0);
}

void Child::write(std::string_view text) {
  while (!text.empty()) {
    const ssize_t written = ::write(input_, text.data(), text.size());
    if (written <= 0) give_up("a program ended before it was told everything");
    text.remove_prefix(static_cast<std::size_t>(written));
  }
}

bool Child::read_some() {
  std::array<char, 65'536> buffer;
  const ssize_t got = ::read(output_, buffer.data(), buffer.size());
  if (got > 0) read_.append(buffer.data(), static_cast<std::size_t>(got));
  return got > 0;
}

std::string Child::read_line() {
  while (read_.find('\n') == std::string::npos) {
    if (!read_some()) give_up("a program ended before it said anything");
  }
  const std::size_t end = read_.find('\n');
  std::string line = read_.substr(0, end);
  read_.erase(0, end + 1);
  return line;
}

std::string Child::read_all() {
  while (read_some()) {
  }
  return std::exchange(read_, {});
}

int Child::wait() {
  int status = 0;
  ::waitpid(std::exchange(id_, -1), &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace ladder::bench
