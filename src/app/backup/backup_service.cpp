#include "app/backup/backup_service.h"

#include "app/backup/backup_key.h"

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
  failing_ = result.failures;
  succeeded_at_ = result.succeeded_at;
  const Instant due = backup_due_at(plan, result);
  if (!result.wanted && (due == 0 || due > plans_.now())) return {};
  const BackupResult before = result;
  result.tried_at = plans_.now();
  result.wanted = false;
  LADDER_CHECK(plans_.put_result(owner_, result));  // another process may have begun it
  running_ = true;
  const auto report = run(plan, stop);
  running_ = false;
  if (!report && report.error().code == Code::kCancelled) {
    result.wanted = true;  // the next start makes it
    result.tried_at = before.tried_at;
    return plans_.put_result(owner_, result);
  }
  const Status done = !report ? Status(std::unexpected(report.error())) : report->pruned;
  if (done) {
    ++succeeded_;
    result.succeeded_at = result.tried_at;
    result.failures = 0;
    result.error_code.clear();
    result.error.clear();
  } else {
    ++failed_;
    ++result.failures;
    result.error_code = done.error().wire();
    result.error = done.error().message;
  }
  failing_ = result.failures;
  succeeded_at_ = result.succeeded_at;
  return plans_.put_result(owner_, result);
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
