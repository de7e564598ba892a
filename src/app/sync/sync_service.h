// Keeps the synced sources of all owners current while `ladder serve` runs. Each source has a thread that runs it when it is due,
// and in between waits for the server to announce new mail (IDLE). Sources that are added, changed, paused or removed by another
// process, and owners who are suspended, are noticed within seconds.
#pragma once

#include "app/sync/sync_runner.h"
#include "base/mutex.h"

#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <thread>
#include <utility>

namespace ladder::app {

// Counters since the start, for operators.
struct SyncFigures {
  std::int64_t succeeded = 0, failed = 0;             // runs
  std::int64_t fetched = 0, removed = 0;              // messages
  std::int64_t working = 0, failing = 0, paused = 0;  // sources
};

class SyncService {
 public:
  SyncService(server::ResourceServer& server, sync::SyncStore& store, SyncRunner::Settings settings);
  ~SyncService();  // stops all sources; what they have read is stored
  SyncService(const SyncService&) = delete;
  SyncService& operator=(const SyncService&) = delete;

  SyncFigures figures() const;

 private:
  // A source of an owner, by name.
  using Key = std::pair<store::OwnerNo, std::string>;
  struct Active {
    server::Access owner;
    sync::Source source;
  };
  struct Worker {
    std::int64_t version = 0;
    std::atomic<bool> is_failing = false;
    std::jthread thread;
  };

  void supervise(const std::stop_token& stop);
  void update_workers();
  Result<std::map<Key, Active>> active_sources();
  void end_workers(const std::map<Key, Active>& active);
  void work(const Active& active, std::atomic<bool>& is_failing, const std::stop_token& stop);
  Result<sync::RunReport> run(const Active& active, SyncClient& client, const std::stop_token& stop);
  // `unseen` is the state of the folder for which the last call returned at once.
  struct Unseen {
    std::uint64_t messages = 0, uid_next = 0;
    bool operator==(const Unseen&) const = default;
  };
  void wait_for_change(const Active& active, SyncClient& client, const sync::WatchedFolder& watched, Unseen& unseen,
                       const std::stop_token& stop);
  Instant due_at(const Active& active);

  server::Accesses& accesses_;
  sync::SyncStore& store_;
  SyncRunner runner_;
  std::atomic<std::int64_t> succeeded_ = 0, failed_ = 0, fetched_ = 0, removed_ = 0, paused_ = 0;
  mutable Mutex mutex_;
  std::map<Key, Worker> workers_ LADDER_GUARDED_BY(mutex_);
  std::jthread supervisor_;
};

}  // namespace ladder::app
