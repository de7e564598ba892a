#include "cli/commands/serve_loop.h"

#include "auth/authorization.h"

#include <poll.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>

namespace ladder::cli {
namespace {

constexpr auto kSweepEvery = std::chrono::seconds(30);  // erased text leaves the files within a minute
constexpr auto kSweepTime = std::chrono::seconds(5);
constexpr auto kRevocationEvery = std::chrono::seconds(1);  // retry interval for failed writes
constexpr auto kLedgerEvery = std::chrono::seconds(1);
constexpr auto kExpireEvery = std::chrono::hours(1);

// Sweeps ledger journals into the store every second on its own thread, so that a slow sweep does not delay a revocation.
void keep_ledger(server::OwnerLedger& ledger, http::Histogram& seconds, const std::stop_token& done) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  for (auto expired = std::chrono::steady_clock::time_point();;) {
    wake.wait_for(lock, done, kLedgerEvery, [] { return false; });
    if (done.stop_requested()) return;
    const auto begin = std::chrono::steady_clock::now();
    (void)ledger.sweep();  // a failure is counted and retried at the next sweep
    seconds.observe(std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
    if (std::chrono::steady_clock::now() - expired < kExpireEvery) continue;
    expired = std::chrono::steady_clock::now();
    (void)ledger.expire();
  }
}

}  // namespace

void run_until_stopped(const app::StopSignal& stop, Session& session, const ServeHooks& hooks, std::chrono::seconds drain_delay,
                       http::Histogram& sweep_time) {
  server::ResourceServer& server = session.server();
  const std::jthread ledger(
      [&server, &sweep_time](const std::stop_token& done) { keep_ledger(server.ledger(), sweep_time, done); });
  pollfd watched{stop.descriptor(), POLLIN, 0};
  std::optional<Deadline> end;
  (void)server.maintenance().measure_store();
  auto swept = std::chrono::steady_clock::now(), notified_at = swept;
  while (!end || !end->passed()) {
    const auto pause = std::min<std::chrono::milliseconds>(kRevocationEvery, end ? end->left() : kRevocationEvery);
    const int ready = poll(&watched, end ? 0 : 1, static_cast<int>(pause.count()));  // after the signal it stays readable
    if (!end && stop.requested()) {
      hooks.begin_to_stop();
      end = Deadline::after(drain_delay);
    }
    hooks.reload_if_requested();
    if (hooks.watchdog_every && std::chrono::steady_clock::now() - notified_at >= *hooks.watchdog_every / 2) {
      notified_at = std::chrono::steady_clock::now();
      hooks.notify_watchdog();
    }
    if (ready != 0) continue;
    if (server.grants().has_unwritten_revocations()) (void)server.grants().write_revocations();
    else (void)server.accesses().flush_uses();  // the owner sees within seconds that a grant is in use
    if (std::chrono::steady_clock::now() - swept < kSweepEvery) continue;
    swept = std::chrono::steady_clock::now();
    (void)server.maintenance().measure_store();
    (void)server.maintenance().sweep(Deadline::after(kSweepTime));  // a failure is retried at the next sweep
    (void)server.maintenance().reindex(Deadline::after(kSweepTime));
    (void)session.authorization().sweep();
  }
}

}  // namespace ladder::cli
