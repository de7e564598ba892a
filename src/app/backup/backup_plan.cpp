#include "app/backup/backup_plan.h"

#include "auth/body.h"
#include "base/limits.h"
#include "base/text/format.h"
#include "json/writer.h"
#include "store/store.h"

#include <ctime>
#include <filesystem>

namespace ladder::app {
namespace {

constexpr std::string_view kPlanKind = "backup_plan", kResultKind = "backup_result";
constexpr std::int64_t kMostKept = 10'000;
constexpr std::size_t kMaxPath = 1024;
constexpr int kTries = 5;

Status require_owner(const server::Access& access) {
  if (access.is_owner()) return {};
  return fail(Code::kPermission, "only the owner manages the backups");
}

Status check_path(const std::string& path, std::string_view what, std::string param) {
  const bool is_usable = path.size() <= kMaxPath && path.find('\0') == std::string::npos &&
                         path.find('\n') == std::string::npos && std::filesystem::path(path).is_absolute();
  if (is_usable) return {};
  return fail(Code::kInvalidRequest, format("enter {} from the root, such as /mnt/disk/ladder", what), std::move(param));
}

Status check(const BackupPlan& plan) {
  const bool needs_folder = plan.every != BackupPlan::Every::kNever;
  if (needs_folder || !plan.folder.empty()) LADDER_CHECK(check_path(plan.folder, "the path of a folder", "folder"));
  if (!plan.key_file.empty()) LADDER_CHECK(check_path(plan.key_file, "the path of the key file", "key"));
  if (plan.hour < 0 || plan.hour > 23) return fail(Code::kInvalidRequest, "the hour is a number from 0 to 23", "hour");
  if (plan.weekday < 0 || plan.weekday > 6) return fail(Code::kInvalidRequest, "choose a day of the week", "weekday");
  if (plan.keep < 0 || plan.keep > kMostKept)
    return fail(Code::kInvalidRequest, format("enter how many backups to keep, up to {}, or 0 for all", kMostKept), "keep");
  return {};
}

BackupPlan::Every every_named(std::string_view word) {
  return word == "day" ? BackupPlan::Every::kDay : word == "week" ? BackupPlan::Every::kWeek : BackupPlan::Every::kNever;
}

std::unexpected<Error> changed_elsewhere() {
  return fail(Code::kConflict, "another process changed the backups at the same time; try again");
}

}  // namespace

std::string_view word_for(BackupPlan::Every every) {
  return every == BackupPlan::Every::kDay ? "day" : every == BackupPlan::Every::kWeek ? "week" : "never";
}

BackupPlans::BackupPlans(store::Store& store, const Clock& clock) : items_(store.auth()), clock_(clock) {}

Result<BackupPlan> BackupPlans::plan(const server::Access& owner) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto item, items_.find(kPlanKind, std::to_string(owner.owner())));
  if (!item) return BackupPlan{};
  const auth::Body body(item->body);
  BackupPlan plan;
  plan.every = every_named(body.text("every"));
  plan.weekday = static_cast<int>(body.number("weekday"));
  plan.hour = static_cast<int>(body.number("hour"));
  plan.folder = body.text("folder");
  plan.key_file = body.text("key_file");
  plan.keep = body.number("keep");
  plan.changed_at = body.number("changed_at");
  plan.version = item->version;
  return plan;
}

Status BackupPlans::set_plan(const server::Access& owner, BackupPlan plan) {
  LADDER_CHECK(require_owner(owner));
  LADDER_CHECK(check(plan));
  plan.changed_at = clock_.now();
  json::Writer out;
  out.begin_object().member("every", word_for(plan.every)).member("weekday", plan.weekday).member("hour", plan.hour);
  out.member("folder", plan.folder).member("key_file", plan.key_file).member("keep", plan.keep);
  out.member("changed_at", plan.changed_at).end_object();
  store::AuthChange change;
  change.puts.push_back({std::string(kPlanKind), std::to_string(owner.owner()), owner.owner(), out.take(), plan.changed_at,
                         std::nullopt, plan.version});
  LADDER_TRY(const bool done, items_.apply(change));
  return done ? Status{} : changed_elsewhere();
}

Result<BackupResult> BackupPlans::result(const server::Access& owner) {
  LADDER_CHECK(require_owner(owner));
  LADDER_TRY(const auto item, items_.find(kResultKind, std::to_string(owner.owner())));
  if (!item) return BackupResult{};
  const auth::Body body(item->body);
  return BackupResult{body.number("tried_at"), body.number("succeeded_at"), body.number("begun_at"), body.number("failures"),
                      body.text("error_code"), body.text("error"),          body.flag("wanted"),     item->version};
}

Status BackupPlans::put_result(const server::Access& owner, BackupResult& result) {
  LADDER_CHECK(require_owner(owner));
  json::Writer out;
  out.begin_object().member("tried_at", result.tried_at).member("succeeded_at", result.succeeded_at);
  out.member("begun_at", result.begun_at);
  out.member("failures", result.failures).optional_member("error_code", result.error_code);
  out.optional_member("error", result.error).member("wanted", result.wanted).end_object();
  store::AuthChange change;
  change.puts.push_back({std::string(kResultKind), std::to_string(owner.owner()), owner.owner(), out.take(), clock_.now(),
                         std::nullopt, result.version});
  LADDER_TRY(const bool done, items_.apply(change));
  if (!done) return changed_elsewhere();
  ++result.version;
  return {};
}

Status BackupPlans::put_outcome(const server::Access& owner, BackupResult& outcome) {
  for (int attempt = 0; attempt < kTries; ++attempt) {
    const Status done = put_result(owner, outcome);
    if (done || done.error().code != Code::kConflict) return done;
    LADDER_TRY(const BackupResult now, result(owner));
    outcome.wanted = outcome.wanted || now.wanted;
    outcome.version = now.version;
  }
  return changed_elsewhere();
}

Status BackupPlans::request(const server::Access& owner) {
  LADDER_TRY(const BackupPlan known, plan(owner));
  if (known.folder.empty()) return fail(Code::kInvalidRequest, "choose a folder for the backups first", "folder");
  for (int attempt = 0; attempt < kTries; ++attempt) {
    LADDER_TRY(BackupResult now, result(owner));
    now.wanted = true;
    const Status done = put_result(owner, now);
    if (done || done.error().code != Code::kConflict) return done;
  }
  return changed_elsewhere();
}

Instant next_backup(const BackupPlan& plan, Instant after) {
  if (plan.every == BackupPlan::Every::kNever) return 0;
  const auto seconds = static_cast<std::time_t>(floor_div(after, kSecond));
  std::tm local{};
  localtime_r(&seconds, &local);
  for (int days = 0; days <= 8; ++days) {
    std::tm at = local;
    at.tm_mday += days;
    at.tm_hour = plan.hour;
    at.tm_min = at.tm_sec = 0;
    at.tm_isdst = -1;  // mktime finds out
    const Instant time = static_cast<Instant>(std::mktime(&at)) * kSecond;
    const bool fits = plan.every == BackupPlan::Every::kDay || at.tm_wday == plan.weekday;
    if (fits && time > after) return time;
  }
  return 0;
}

}  // namespace ladder::app
