// The main thread of `ladder serve`.
#pragma once

#include "app/stop_signal.h"
#include "cli/invocation/session.h"
#include "http/middleware/metrics.h"

#include <chrono>
#include <functional>
#include <optional>

namespace ladder::cli {

// Waits for a signal; sweeps the store and continues unfinished indexes periodically.
void run_until_stopped(const app::StopSignal& stop, Session& session, const server::Access& owner,
                       const std::optional<std::chrono::microseconds>& watchdog_every,
                       const std::function<void()>& notify_watchdog, const std::function<void()>& reload_if_requested,
                       http::Histogram& sweep_time);

}  // namespace ladder::cli
