// Checks what the owner should hear about: backups, and the channels of notifications.
#include "app/backup/backup_service.h"
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/doctor/checks.h"

namespace ladder::cli {
namespace {

constexpr Instant kLate = kDay;  // the schedule was not followed for that long

Status check_plan(Session& session, const server::Access& owner, app::Findings& findings) {
  app::BackupPlans& plans = session.backup_plans();
  LADDER_TRY(const app::BackupPlan plan, plans.plan(owner));
  LADDER_TRY(const app::BackupResult result, plans.result(owner));
  LADDER_TRY(const auto last, session.server().maintenance().last_backup(owner));
  const std::string thing = !plan.folder.empty() ? visible_label(plan.folder) : last ? visible_label(last->target) : "the store";
  if (result.failures > 0) {
    findings.problem(
        "backup", thing,
        format("failed {} in a row: {}", result.failures == 1 ? "once" : format("{} times", result.failures), result.error),
        "follow the message, then make one under Settings, Backups");
    return {};
  }
  if (!last && plan.every == app::BackupPlan::Every::kNever) {
    findings.warn("backup", thing, "has no backup", "`ladder backup schedule FOLDER` lets `ladder serve` make one every day");
    return {};
  }
  const Instant due = app::backup_due_at(plan, result);
  if (due > 0 && plans.now() - due > kLate)
    findings.warn("backup", thing, format("was due at {} and not made", format_time(due)), "keep `ladder serve` running");
  else
    findings.ok("backup", thing, last ? format("was made at {}", format_time(last->made_at)) : "is made at " + format_time(due));
  return {};
}

Status check_channels(Session& session, const server::Access& owner, app::Findings& findings) {
  LADDER_TRY(const auto channels, session.notify_store().list(owner));
  for (const notify::Channel& channel : channels) {
    LADDER_TRY(const auto status, session.notify_store().status(owner, channel.name));
    const std::string thing = format("{} ({})", channel.name, visible_label(channel.shown_target()));
    if (status.failures == 0) findings.ok("notify", thing, status.sent_at > 0 ? "works" : "was not used yet");
    else
      findings.problem("notify", thing, format("failed: {}", status.error),
                       format("`ladder notify test {}` tries it; remove it and add it again to change it", channel.name));
  }
  return {};
}

}  // namespace

void check_backups(Session& session, app::Findings& findings) {
  const auto owner = session.owner();
  if (!owner) return;  // already reported
  if (const Status done = check_plan(session, *owner, findings); !done)
    findings.problem("backup", owner->owner_name(), done.error().message, "fix the problem with the store first");
}

void check_notifications(Session& session, app::Findings& findings) {
  const auto owner = session.owner();
  if (!owner) return;  // already reported
  if (const Status done = check_channels(session, *owner, findings); !done)
    findings.problem("notify", owner->owner_name(), done.error().message, "fix the problem with the store first");
}

}  // namespace ladder::cli
