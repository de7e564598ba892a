#include "app/sync/sync_service.h"

#include "app/sync/folder_watch.h"

#include <algorithm>
#include <condition_variable>
#include <iterator>
#include <mutex>
#include <utility>

namespace ladder::app {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(3);  // for changed sources
constexpr auto kBusyWait = std::chrono::seconds(10);  // while another process runs the source
constexpr int kFreeQuiet = 3, kMaxQuiet = 33;         // runs in short order that found nothing; each more waits a second longer
constexpr auto kQuietTime = std::chrono::seconds(30);
constexpr auto kLongestIdle = std::chrono::minutes(25);  // servers end it after 29 (RFC 2177)

void sleep(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
}

// The time is limited, in case the clock was set back.
std::chrono::milliseconds until(Instant due, Instant now) {
  constexpr Instant kLongest = 30 * 24 * 3600 * kSecond;  // of --every
  return std::chrono::duration_cast<std::chrono::milliseconds>(
      std::chrono::microseconds(std::clamp<Instant>(due - now, 0, kLongest)));
}

}  // namespace

SyncService::SyncService(server::ResourceServer& server, sync::SyncStore& store, SyncRunner::Settings settings)
    : accesses_(server.accesses()),
      store_(store),
      runner_(server, store, std::move(settings)),
      supervisor_([this](const std::stop_token& stop) { supervise(stop); }) {}

SyncService::~SyncService() {
  supervisor_.request_stop();
  supervisor_.join();
  // The workers are waited for without the lock.
  std::map<Key, Worker> ending;
  {
    const MutexLock lock(mutex_);
    ending.swap(workers_);
  }
  for (auto& [name, worker] : ending) worker.thread.request_stop();
}

void SyncService::supervise(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    update_workers();
    sleep(kLookEvery, stop);
  }
}

// Ends the workers of sources that are not active or were changed. They are waited for without the lock, so that the figures are
// available meanwhile.
void SyncService::end_workers(const std::map<Key, Active>& active) {
  std::map<Key, Worker> ending;
  {
    const MutexLock lock(mutex_);
    for (auto at = workers_.begin(); at != workers_.end();) {
      const auto next = std::next(at);
      const auto found = active.find(at->first);
      if (found == active.end() || found->second.source.version != at->second.version) ending.insert(workers_.extract(at));
      at = next;
    }
  }
  for (auto& [name, worker] : ending) worker.thread.request_stop();
}

// Sources of suspended owners are not active.
Result<std::map<SyncService::Key, SyncService::Active>> SyncService::active_sources() {
  std::map<Key, Active> active;
  std::int64_t paused = 0;
  LADDER_TRY(const auto owners, store_.owners());
  for (const store::OwnerNo no : owners) {
    auto owner = accesses_.local_owner(no);
    if (!owner && owner.error().code == Code::kStoreUnavailable) return std::unexpected(std::move(owner).error());
    if (!owner) continue;
    LADDER_TRY(auto sources, store_.list(*owner));
    for (sync::Source& source : sources) {
      if (source.paused) ++paused;
      else active.try_emplace({no, source.name}, Active{*owner, source});
    }
  }
  paused_ = paused;
  return active;
}

void SyncService::update_workers() {
  const auto active = active_sources();
  if (!active) return;  // the store is unavailable now; the next look finds it again
  end_workers(*active);
  const MutexLock lock(mutex_);
  for (const auto& [key, one] : *active) {
    const auto [worker, is_new] = workers_.try_emplace(key);
    if (!is_new) continue;
    worker->second.version = one.source.version;
    worker->second.thread = std::jthread(
        [this, one, &is_failing = worker->second.is_failing](const std::stop_token& stop) { work(one, is_failing, stop); });
  }
}

Instant SyncService::due_at(const Active& active) {
  const auto status = store_.status(active.owner, active.source.name);
  return status ? status->due_at : store_.now() + active.source.every_seconds * kSecond;
}

void SyncService::work(const Active& active, std::atomic<bool>& is_failing, const std::stop_token& stop) {
  const sync::Source& source = active.source;
  SyncClient client;
  Unseen unseen;
  // A restart does not shorten the wait after a failure.
  if (const auto status = store_.status(active.owner, source.name); status && status->failures > 0) {
    is_failing = true;
    const bool is_plausible = status->tried_at <= store_.now();  // otherwise the clock was set back, and `due_at` says nothing
    if (!sync::is_asked(source, *status) && is_plausible) sleep(until(status->due_at, store_.now()), stop);
  }
  const bool is_folder = sync::is_local(source.kind);
  for (int quiet = 0; !stop.stop_requested();) {
    // It starts before the run, so that changes during the run are noticed.
    const std::unique_ptr<FolderWatch> watch = is_folder ? FolderWatch::start(source.address) : nullptr;
    const auto report = run(active, client, stop);
    is_failing = !report;
    if (stop.stop_requested()) break;
    if (!report) {
      sleep(std::max(until(due_at(active), store_.now()), std::chrono::milliseconds(kBusyWait)), stop);
      continue;
    }
    // A server that announces changes all the time, or ends every IDLE, is not asked all the time.
    const bool is_quiet = report->fetched + report->changed_flags + report->removed == 0;
    quiet = is_quiet ? std::min(quiet + 1, kMaxQuiet) : 0;
    if (quiet > kFreeQuiet) sleep(std::chrono::seconds(quiet - kFreeQuiet), stop);
    const auto begin = std::chrono::steady_clock::now();
    if (watch) watch->wait(begin + until(due_at(active), store_.now()), stop);
    else wait_for_change(active, client, report->watched, unseen, stop);
    if (std::chrono::steady_clock::now() - begin > kQuietTime) quiet = 0;
  }
  if (client) client->log_out();
}

Result<sync::RunReport> SyncService::run(const Active& active, SyncClient& client, const std::stop_token& stop) {
  const bool was_connected = client != nullptr;
  auto report = runner_.run(active.owner, active.source, client, {}, stop);
  // The server may have closed a connection that was kept from the last run.
  if (!report && was_connected && report.error().code == Code::kRsUnreachable)
    report = runner_.run(active.owner, active.source, client, {}, stop);
  if (report) {
    ++succeeded_;
    fetched_ += report->fetched;
    removed_ += report->removed;
  } else if (report.error().code != Code::kCancelled) {
    ++failed_;
  }
  return report;
}

// Returns when the watched folder has changed or the source is due. A message that arrived since the run is noticed too, unless
// the run left the folder in this state before.
void SyncService::wait_for_change(const Active& active, SyncClient& client, const sync::WatchedFolder& watched, Unseen& unseen,
                                  const std::stop_token& stop) {
  const auto left = until(due_at(active), store_.now());
  if (!client || !client->has("IDLE")) {
    if (client) client->log_out();
    client.reset();
    return sleep(left, stop);
  }
  const auto deadline = std::chrono::steady_clock::now() + std::min<std::chrono::milliseconds>(left, kLongestIdle);
  const auto opened = client->examine(watched.wire_name, nullptr, {});
  if (!opened) return client.reset();
  const Unseen now{opened->status.messages, opened->status.uid_next};
  const bool is_as_seen = now.messages == watched.messages && now.uid_next <= watched.uid_next;
  if (!is_as_seen && std::exchange(unseen, now) != now) return;
  if (!client->idle(deadline)) client.reset();
}

SyncFigures SyncService::figures() const {
  SyncFigures figures{succeeded_, failed_, fetched_, removed_, 0, 0, paused_};
  const MutexLock lock(mutex_);
  for (const auto& [name, worker] : workers_) ++(worker.is_failing ? figures.failing : figures.working);
  return figures;
}

}  // namespace ladder::app
