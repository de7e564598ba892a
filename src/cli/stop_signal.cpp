// The handler sets a flag and makes a pipe readable; it is removed by its first use, so that the second signal has its usual
// effect.
#include "cli/stop_signal.h"

#include <fcntl.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>

namespace ladder::cli {
namespace {

std::atomic<bool> stop_requested = false;
std::array<int, 2> wake_up = {-1, -1};

extern "C" void on_stop(int) {
  const int saved = errno;
  stop_requested.store(true, std::memory_order_relaxed);
  static_cast<void>(!::write(wake_up[1], "", 1));
  errno = saved;
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested = false;
  if (::pipe2(wake_up.data(), O_CLOEXEC | O_NONBLOCK) != 0) wake_up = {-1, -1};  // then a waiting read ends with its next piece
  struct sigaction action{};
  action.sa_handler = on_stop;
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  ::sigaction(SIGINT, &action, nullptr);
  ::sigaction(SIGTERM, &action, nullptr);
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  for (int& fd : wake_up) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
}

bool StopSignal::requested() const { return stop_requested.load(std::memory_order_relaxed); }
int StopSignal::descriptor() const { return wake_up[0]; }

}  // namespace ladder::cli
