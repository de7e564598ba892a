#include "cli/reload_signal.h"

#include <atomic>
#include <csignal>

namespace ladder::cli {
namespace {

std::atomic<bool> reload_requested = false;

extern "C" void on_reload(int) { reload_requested.store(true, std::memory_order_relaxed); }

}  // namespace

ReloadSignal::ReloadSignal() {
  reload_requested = false;
  struct sigaction action{};
  action.sa_handler = on_reload;  // without SA_RESTART: a poll() that waits ends at once
  ::sigaction(SIGHUP, &action, nullptr);
}

ReloadSignal::~ReloadSignal() { std::signal(SIGHUP, SIG_DFL); }

bool ReloadSignal::take() const { return reload_requested.exchange(false, std::memory_order_relaxed); }

}  // namespace ladder::cli
