// The handler sets a flag and makes a pipe readable. Its first use removes it, so that a second signal has its
// default effect.
#include "cli/app/stop_signal.h"

#include "base/suspension.h"

#include <fcntl.h>
#include <semaphore.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <system_error>

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

// Exceeds the duration of any transaction that ends early on request.
constexpr std::chrono::milliseconds kSuspendTimeout{2000};
sem_t suspend_requested;
std::atomic<bool> suspender_ends = false;

extern "C" void on_suspend(int) {
  const int saved = errno;
  ::sem_post(&suspend_requested);
  errno = saved;
}

void suspend_on_request() {
  for (;;) {
    while (::sem_wait(&suspend_requested) != 0) {
    }
    if (suspender_ends) return;
    Suspension::of_process().suspend(kSuspendTimeout, [] { ::kill(::getpid(), SIGSTOP); });
  }
}

void handle(int signal, void (*handler)(int), int flags) {
  struct sigaction action{};
  action.sa_handler = handler;
  action.sa_flags = flags;
  ::sigaction(signal, &action, nullptr);
}

}  // namespace

StopSignal::StopSignal() {
  stop_requested = false;
  if (::pipe2(wake_up.data(), O_CLOEXEC | O_NONBLOCK) != 0) wake_up = {-1, -1};  // a blocked read then ends with the next data
  handle(SIGINT, on_stop, static_cast<int>(SA_RESETHAND));
  handle(SIGTERM, on_stop, static_cast<int>(SA_RESETHAND));
  ::sem_init(&suspend_requested, 0, 0);
  suspender_ends = false;
  struct sigaction before{};
  ::sigaction(SIGTSTP, nullptr, &before);
  if (before.sa_handler == SIG_IGN) return;
  try {
    suspender_ = std::thread(suspend_on_request);
    handle(SIGTSTP, on_suspend, SA_RESTART);
  } catch (const std::system_error&) {  // the thread cannot be started; Ctrl-Z keeps its default effect
  }
}

StopSignal::~StopSignal() {
  std::signal(SIGINT, SIG_DFL);
  std::signal(SIGTERM, SIG_DFL);
  if (suspender_.joinable()) {
    std::signal(SIGTSTP, SIG_DFL);
    suspender_ends = true;
    ::sem_post(&suspend_requested);
    suspender_.join();
  }
  ::sem_destroy(&suspend_requested);
  for (int& fd : wake_up) {
    if (fd >= 0) ::close(fd);
    fd = -1;
  }
}

bool StopSignal::requested() const { return stop_requested.load(std::memory_order_relaxed); }
int StopSignal::descriptor() const { return wake_up[0]; }

StopRequest::StopRequest()
    : event_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {}  // without it, a blocked read ends with the next data

StopRequest::~StopRequest() {
  if (event_ >= 0) ::close(event_);
}

void StopRequest::request() {
  requested_.store(true, std::memory_order_relaxed);
  const std::uint64_t one = 1;
  static_cast<void>(!::write(event_, &one, sizeof one));
}

}  // namespace ladder::cli
