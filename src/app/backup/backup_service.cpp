#include "app/backup/backup_service.h"

#include "app/backup/backup_folder.h"
#include "app/backup/backup_key.h"
#include "app/backup/backup_writer.h"
#include "base/text/format.h"

#include <algorithm>
#include <condition_variable>
#include <mutex>

namespace ladder::app {
namespace {

constexpr auto kLookEvery = std::chrono::seconds(2);
constexpr Instant kRetryAfter = 3600 * kSecond;

void sleep(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any wake;
  std::unique_lock lock(mutex);
  wake.wait_for(lock, stop, time, [] { return false; });
}

}  // namespace

Instant backup_due_at(const BackupPlan& plan, const BackupResult& result) {
  const Instant planned = next_backup(plan, std::max(plan.changed_at, result.tried_at));
  if (planned == 0 || result.failures == 0) return planned;
  return std::min(planned, result.tried_at + kRetryAfter);
}

std::vector<Instant> snapshot_times(const BackupPlan& plan) {
  std::string key;
  if (!plan.key_file.empty()) {
    auto read = read_backup_key(plan.key_file);
    if (!read) return {};
    key = *std::move(read);
  }
  const auto folder = BackupFolder::open(plan.folder, key);
  if (!folder) return {};
  const auto names = (*folder)->snapshots();
  std::vector<Instant> times;
  for (const std::string& name : names ? *names : std::vector<std::string>()) {
    if (const auto time = time_of_snapshot_name(name)) times.push_back(*time);
  }
  std::ranges::sort(times, std::greater{});
  return times;
}

BackupService::BackupService(BackupPlans& plans, server::Access owner, Settings settings)
    : plans_(plans),
      owner_(std::move(owner)),
      settings_(std::move(settings)),
      thread_([this](const std::stop_token& stop) { work(stop); }) {}

BackupService::~BackupService() {
  thread_.request_stop();
  thread_.join();
}

void BackupService::work(const std::stop_token& stop) {
  lower_priority();
  for (; !stop.stop_requested(); sleep(kLookEvery, stop)) (void)run_if_due(stop);  // without the store, the next look tries again
}

Status BackupService::run_if_due(const std::stop_token& stop) {
  LADDER_TRY(const BackupPlan plan, plans_.plan(owner_));
  LADDER_TRY(BackupResult result, plans_.result(owner_));
  if (result.begun_at != 0) LADDER_CHECK(finish_killed(plan, result));
  failing_ = result.failures;
  succeeded_at_ = result.succeeded_at;
  const Instant due = backup_due_at(plan, result);
  if (!result.wanted && (due == 0 || due > plans_.now())) return {};
  const BackupResult before = result;
  result.tried_at = result.begun_at = plans_.now();
  result.wanted = false;
  LADDER_CHECK(plans_.put_result(owner_, result));  // another process may have begun it
  running_ = true;
  const auto report = run(plan, stop);
  running_ = false;
  if (!report && report.error().code == Code::kCancelled) {
    result.begun_at = 0;
    result.wanted = true;  // the next start makes it
    result.tried_at = before.tried_at;
    return plans_.put_outcome(owner_, result);
  }
  const Status done = !report ? Status(std::unexpected(report.error())) : report->pruned;
  return finish(result, done);
}

Status BackupService::finish(BackupResult& result, const Status& outcome) {
  result.begun_at = 0;
  if (outcome) {
    ++succeeded_;
    result.succeeded_at = result.tried_at;
    result.failures = 0;
    result.error_code.clear();
    result.error.clear();
  } else {
    ++failed_;
    ++result.failures;
    result.error_code = outcome.error().wire();
    result.error = outcome.error().message;
  }
  failing_ = result.failures;
  succeeded_at_ = result.succeeded_at;
  return plans_.put_outcome(owner_, result);
}

// Counts a backup that has begun and is not being made any more: its server was killed. Its snapshot may be complete, also if the
// store was restored from it.
Status BackupService::finish_killed(const BackupPlan& plan, BackupResult& result) {
  if (BackupWriter::is_writing(plan.folder)) return fail(Code::kConflict, "another process is making the backup now");
  const std::vector<Instant> made = snapshot_times(plan);
  if (!made.empty() && made.front() >= result.begun_at) return finish(result, {});
  return finish(result, fail(Code::kStoreUnavailable,
                             format("the backup of {} was cut off, because the server was killed or the computer was switched "
                                    "off; `ladder backup now` makes another one",
                                    format_time(result.begun_at))));
}

Result<BackupReport> BackupService::run(const BackupPlan& plan, const std::stop_token& stop) {
  std::string key;
  if (!plan.key_file.empty()) {
    LADDER_TRY(key, read_backup_key(plan.key_file));
  }
  bytes_done_ = 0;
  const BackupJob job{settings_.location, plan.folder, key, settings_.version, false, static_cast<std::size_t>(plan.keep)};
  return back_up(job, plans_.now(), [&](std::int64_t bytes) -> Status {
    bytes_done_ += bytes;
    if (!stop.stop_requested()) return {};
    return fail(Code::kCancelled, "stopped");
  });
}

BackupFigures BackupService::figures() const { return {succeeded_, failed_, failing_, succeeded_at_, running_, bytes_done_}; }

}  // namespace ladder::app
