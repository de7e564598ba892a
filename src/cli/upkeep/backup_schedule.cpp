#include "cli/upkeep/backup_schedule.h"

#include "app/backup/backup_key.h"
#include "app/backup/backup_service.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "cli/invocation/failure.h"
#include "json/writer.h"

#include <filesystem>

namespace ladder::cli {
namespace {

using Every = app::BackupPlan::Every;

Result<Every> every_of(const std::optional<std::string>& word) {
  if (!word || *word == "day") return Every::kDay;
  if (*word == "week") return Every::kWeek;
  if (*word == "never") return Every::kNever;
  return fail(Code::kInvalidRequest, "--every must be day, week or never", "--every");
}

std::string plan_text(const app::BackupPlan& plan, const app::BackupResult& result) {
  if (plan.every == Every::kNever) return "Backups are not scheduled; `ladder backup schedule FOLDER` does that.\n";
  return format("`ladder serve` makes a backup in {} {} {}:00, {}{}; the next one at {}.\n", visible_label(plan.folder),
                plan.every == Every::kDay ? "every day at" : "every Sunday at", plan.hour,
                plan.keep == 0 ? "keeps all" : format("keeps {}", plan.keep),
                plan.key_file.empty() ? ", not encrypted" : ", encrypted", format_time(app::backup_due_at(plan, result)));
}

}  // namespace

Result<int> set_backup_schedule(Context& context, const ScheduleWords& words) {
  LADDER_TRY(const auto session, Session::open(context.settings));
  LADDER_TRY(const server::Access owner, session->owner());
  LADDER_TRY(app::BackupPlan plan, session->backup_plans().plan(owner));
  LADDER_TRY(plan.every, every_of(words.every));
  if (words.at) {
    const auto hour = parse_number<int>(*words.at);
    if (!hour) return fail(Code::kInvalidRequest, "--at must be an hour from 0 to 23", "--at");
    plan.hour = *hour;
  }
  std::error_code ignored;
  plan.folder = std::filesystem::absolute(words.target, ignored).string();
  plan.key_file = words.key_file ? std::filesystem::absolute(*words.key_file, ignored).string() : "";
  plan.weekday = 0;
  plan.keep = static_cast<std::int64_t>(words.keep);
  if (!plan.key_file.empty()) LADDER_CHECK(app::read_backup_key(plan.key_file));
  LADDER_CHECK(session->backup_plans().set_plan(owner, plan));
  return show_backup_schedule(context);
}

Result<int> request_backup(Context& context) {
  LADDER_TRY(const auto session, Session::open(context.settings));
  LADDER_TRY(const server::Access owner, session->owner());
  LADDER_CHECK(session->backup_plans().request(owner));
  context.console.err(
      format("`ladder serve` makes the backup within seconds if it runs; `ladder backup status{}` shows the outcome\n",
             context.store_flags()));
  return kDone;
}

Result<int> show_backup_schedule(Context& context) {
  LADDER_TRY(const auto session, Session::open(context.settings));
  LADDER_TRY(const server::Access owner, session->owner());
  LADDER_TRY(const app::BackupPlan plan, session->backup_plans().plan(owner));
  LADDER_TRY(const app::BackupResult result, session->backup_plans().result(owner));
  LADDER_TRY(const auto last, session->server().maintenance().last_backup(owner));
  if (context.console.json()) {
    json::Writer out;
    out.begin_object().member("every", app::word_for(plan.every)).member("hour", plan.hour).member("weekday", plan.weekday);
    out.optional_member("target", plan.folder).member("encrypted", !plan.key_file.empty()).member("keep", plan.keep);
    const auto time = [&](std::string_view name, Instant at) {
      if (at > 0) out.member(name, format_time(at));
    };
    time("next_at", app::backup_due_at(plan, result));
    time("tried_at", result.tried_at);
    time("succeeded_at", result.succeeded_at);
    out.member("failures", result.failures).optional_member("error_code", result.error_code);
    out.optional_member("error", result.error);
    if (last) {
      out.key("last").begin_object().member("made_at", format_time(last->made_at)).member("target", last->target);
      out.member("bytes", last->bytes).member("encrypted", last->encrypted).end_object();
    }
    context.console.out(out.end_object().take() + "\n");
    return kDone;
  }
  std::string text = plan_text(plan, result);
  text += last ? format("The last backup was made at {} in {}.\n", format_time(last->made_at), visible_label(last->target))
               : "There is no backup yet.\n";
  if (result.failures > 0)
    text += format("The last {} scheduled backup{} failed: {}\n", result.failures, result.failures == 1 ? "" : "s",
                   visible_label(result.error));
  context.console.out(text);
  return kDone;
}

}  // namespace ladder::cli
