// Makes the scheduled backups inside `ladder serve`, one at a time on its own thread with a lower priority. A backup that was due
// while the server was off is made after the start.
#pragma once

#include "app/backup/backup_plan.h"
#include "app/backup/backup_run.h"

#include <atomic>
#include <cstdint>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

namespace ladder::app {

// Counters since the start, for operators.
struct BackupFigures {
  std::int64_t succeeded = 0, failed = 0;
  std::int64_t failing = 0;  // failures since the last success, also of earlier processes
  Instant succeeded_at = 0;
  bool running = false;
  std::int64_t bytes_done = 0;  // of the running one
};

class BackupService {
 public:
  struct Settings {
    std::string location;  // of the store
    std::string version;   // of this Ladder
  };
  BackupService(BackupPlans& plans, server::Access owner, Settings settings);
  ~BackupService();  // ends a running backup; nothing of it is kept
  BackupService(const BackupService&) = delete;
  BackupService& operator=(const BackupService&) = delete;

  BackupFigures figures() const;

 private:
  void work(const std::stop_token& stop);
  Status run_if_due(const std::stop_token& stop);
  Result<BackupReport> run(const BackupPlan& plan, const std::stop_token& stop);
  Status finish(BackupResult& result, const Status& outcome);
  Status finish_killed(const BackupPlan& plan, BackupResult& result);

  BackupPlans& plans_;
  const server::Access owner_;
  const Settings settings_;
  std::atomic<std::int64_t> succeeded_ = 0, failed_ = 0, failing_ = 0, bytes_done_ = 0;
  std::atomic<Instant> succeeded_at_ = 0;
  std::atomic<bool> running_ = false;
  std::jthread thread_;  // the last member: it uses the others
};

// Returns when the snapshots of the plan's folder were made, newest first; none if the folder or its key cannot be read.
std::vector<Instant> snapshot_times(const BackupPlan& plan);

// Returns when the next backup is due: at the time of the plan, or an hour after a failure. 0: never.
Instant backup_due_at(const BackupPlan& plan, const BackupResult& result);

}  // namespace ladder::app
