// The main thread of `ladder serve`.
#pragma once

#include "app/stop_signal.h"
#include "cli/invocation/session.h"
#include "http/middleware/metrics.h"

#include <chrono>
#include <functional>
#include <optional>

namespace ladder::cli {

struct ServeHooks {
  std::optional<std::chrono::microseconds> watchdog_every;
  std::function<void()> notify_watchdog, reload_if_requested;
  std::function<void()> begin_to_stop;  // called once, at the signal
};

// Waits for a signal and then for `drain_delay`; sweeps the store and continues unfinished indexes periodically.
void run_until_stopped(const app::StopSignal& stop, Session& session, const ServeHooks& hooks, std::chrono::seconds drain_delay,
                       http::Histogram& sweep_time);

}  // namespace ladder::cli
