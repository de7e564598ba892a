#include "app/backup/console_backups.h"

#include "app/backup/backup_key.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

namespace ladder::app {
namespace {

// Returns the device of the path or of its nearest parent folder that exists.
std::optional<dev_t> device_of(std::filesystem::path path) {
  struct stat about{};
  for (; !path.empty(); path = path.parent_path()) {
    if (::stat(path.c_str(), &about) == 0) return about.st_dev;
    if (path == path.root_path()) break;
  }
  return std::nullopt;
}

BackupPlan::Every every_of(const std::string& word) {
  return word == "day" ? BackupPlan::Every::kDay : word == "week" ? BackupPlan::Every::kWeek : BackupPlan::Every::kNever;
}

}  // namespace

bool ConsoleBackups::is_administrator(const server::Access& owner) const {
  return owner.is_owner() && owner.owner() == administrator_.owner();
}

Status ConsoleBackups::check(const server::Access& owner) const {
  if (is_administrator(owner)) return {};
  return fail(Code::kPermission, "only the owner who runs the server manages its backups");
}

Result<console::BackupState> ConsoleBackups::state(const server::Access& owner) {
  LADDER_CHECK(check(owner));
  LADDER_TRY(const BackupPlan plan, plans_.plan(owner));
  LADDER_TRY(const BackupResult result, plans_.result(owner));
  const BackupFigures figures = service_.figures();
  console::BackupState state;
  state.schedule = {std::string(word_for(plan.every)), plan.weekday, plan.hour, plan.folder, plan.key_file, plan.keep};
  state.next_at = backup_due_at(plan, result);
  state.tried_at = result.tried_at;
  state.succeeded_at = result.succeeded_at;
  state.failures = result.failures;
  state.error = result.error;
  state.error_code = result.error_code;
  state.wanted = result.wanted;
  state.running = figures.running;
  state.bytes_done = figures.bytes_done;
  if (plan.folder.empty()) return state;
  state.snapshots = snapshot_times(plan);
  std::error_code missing;
  const bool is_file = std::filesystem::exists(location_, missing);
  state.same_disk = is_file && device_of(plan.folder) == device_of(location_);
  if (const auto room = std::filesystem::space(plan.folder, missing); !missing)
    state.free_bytes = static_cast<std::int64_t>(room.available);
  return state;
}

Status ConsoleBackups::save(const server::Access& owner, const console::BackupSchedule& schedule) {
  LADDER_CHECK(check(owner));
  LADDER_TRY(BackupPlan plan, plans_.plan(owner));
  plan.every = every_of(schedule.every);
  plan.weekday = schedule.weekday;
  plan.hour = schedule.hour;
  plan.folder = schedule.folder;
  plan.key_file = schedule.key_file;
  plan.keep = schedule.keep;
  if (!plan.key_file.empty()) LADDER_CHECK(read_backup_key(plan.key_file));
  return plans_.set_plan(owner, plan);
}

Status ConsoleBackups::begin(const server::Access& owner) {
  LADDER_CHECK(check(owner));
  return plans_.request(owner);
}

Result<std::int64_t> ConsoleBackups::failures(const server::Access& owner) {
  LADDER_CHECK(check(owner));
  LADDER_TRY(const BackupResult result, plans_.result(owner));
  return result.failures;
}

}  // namespace ladder::app
