// The page of the backups: the last one, one now, the schedule, and how to restore.
#include "auth/text_formatting.h"
#include "base/text/format.h"
#include "base/text/number.h"
#include "base/text/visible_text.h"
#include "console/console.h"
#include "console/settings/settings_nav.h"
#include "console/sources/drop.h"

#include <array>

namespace ladder::console {
namespace {

constexpr std::array<std::string_view, 7> kDays = {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"};
constexpr std::array<std::int64_t, 5> kKeeps = {3, 5, 10, 30, 0};
constexpr std::size_t kShownSnapshots = 20;

void write_option(Writer& out, std::string_view value, std::string_view label, bool is_chosen) {
  out << Markup("<option") << Attribute("value", value) << (is_chosen ? Markup(" selected>") : Markup(">")) << Text(label)
      << Markup("</option>");
}

Writer lead(const BackupState& state, const std::optional<store::BackupNote>& last, Instant now) {
  Writer out;
  out << Markup("<p class=\"lead\">");
  if (state.running) out << Markup("A backup is being made: ") << Text(size_text(state.bytes_done)) << Markup(" so far.");
  else if (state.wanted) out << Markup("A backup begins within seconds.");
  else if (!last) out << Markup("There is <b>no backup yet</b>. If this disk fails, your data is gone.");
  else {
    out << Markup("Last backup: <b>") << Text(auth::inside(moment_text(last->made_at, now))) << Markup("</b>, ")
        << Text(size_text(last->bytes)) << (last->encrypted ? Markup(", encrypted.") : Markup(", not encrypted."));
  }
  out << Markup("</p>");
  return out;
}

Writer warnings(const BackupState& state, Instant now) {
  Writer out;
  if (state.failures > 0) {
    out << Markup("<div class=\"notice notice-warn\" role=\"status\">") << icon(Icon::kWarn)
        << Markup("<div><p><b>The backup of ") << Text(auth::inside(moment_text(state.tried_at, now)))
        << Markup(" failed.</b> <span dir=\"auto\">") << Text(auth::at_start(state.error))
        << Markup("</span></p><p class=\"small quiet\">It is tried again every hour. Error code: <code>")
        << Text(state.error_code) << Markup("</code></p></div></div>");
  }
  if (state.same_disk) {
    out << Markup("<div class=\"notice notice-warn\">") << icon(Icon::kWarn)
        << Markup(
               "<div><p><b>The backups are on the same disk as your data.</b> If the disk fails, both are gone. Choose a folder "
               "on "
               "another disk or a network drive.</p></div><a class=\"row-end\" href=\"#where\">Change folder</a></div>");
  }
  return out;
}

Writer every_choice(const std::string& chosen) {
  Writer out;
  out << Markup("<fieldset class=\"choice\"><legend class=\"label\">Back up</legend><div class=\"seg\">");
  for (const auto& [value, label] :
       std::array<std::pair<std::string_view, std::string_view>, 3>{{{"day", "Daily"}, {"week", "Weekly"}, {"never", "Off"}}}) {
    out << Markup("<label><input type=\"radio\" name=\"every\"") << Attribute("value", value)
        << (chosen == value ? Markup(" checked>") : Markup(">")) << Text(label) << Markup("</label>");
  }
  out << Markup("</div></fieldset>");
  return out;
}

Writer schedule_form(const BackupState& state, const BackupSchedule& shown, const std::string& csrf, const Error* fault) {
  Writer out;
  out << Markup(
             "<section aria-labelledby=\"sch\"><div class=\"block-head\"><h2 id=\"sch\">Schedule</h2></div><form class=\"card "
             "stack\" action=\"/settings/backups\" method=\"post\">")
      << hidden("csrf", csrf) << every_choice(shown.every)
      << Markup(
             "<div class=\"grid-2\"><div class=\"field\"><label for=\"dy\">Day, if weekly</label><select class=\"input\" "
             "id=\"dy\" "
             "name=\"weekday\">");
  for (std::size_t day = 0; day < kDays.size(); ++day)
    write_option(out, std::to_string(day), kDays[day], static_cast<int>(day) == shown.weekday);
  out << Markup(
      "</select></div><div class=\"field\"><label for=\"hr\">Time</label><select class=\"input\" id=\"hr\" name=\"hour\">");
  for (int hour = 0; hour < 24; ++hour) write_option(out, std::to_string(hour), format("{:02}:00", hour), hour == shown.hour);
  out << Markup(
             "</select></div></div><div class=\"field\" id=\"where\"><label for=\"fo\">Folder on the computer that runs "
             "Ladder</label><input class=\"input\" id=\"fo\" name=\"folder\" placeholder=\"/mnt/disk/ladder\" "
             "aria-describedby=\"foh\" autocomplete=\"off\" spellcheck=\"false\"")
      << Attribute("value", shown.folder)
      << Markup("><p class=\"hint\" id=\"foh\">An empty or new folder, on another disk if possible.");
  if (state.free_bytes) out << Markup(" ") << Text(size_text(*state.free_bytes)) << Markup(" are free there.");
  out << Markup("</p></div><div class=\"field\"><label for=\"kp\">Keep</label><select class=\"input\" id=\"kp\" name=\"keep\">");
  bool known = false;
  for (const std::int64_t keep : kKeeps) {
    known = known || keep == shown.keep;
    write_option(out, std::to_string(keep), keep == 0 ? "All of them" : format("The last {}", keep), keep == shown.keep);
  }
  if (!known) write_option(out, std::to_string(shown.keep), format("The last {}", shown.keep), true);
  out << Markup(
             "</select></div><div class=\"field\"><label for=\"ke\">Key file, to encrypt</label><input class=\"input\" id=\"ke\" "
             "name=\"key\" placeholder=\"Not encrypted\" aria-describedby=\"keh\" autocomplete=\"off\" spellcheck=\"false\"")
      << Attribute("value", shown.key_file)
      << Markup(
             "><p class=\"hint\" id=\"keh\">Make one in a terminal with <code>ladder backup key FILE</code>, and keep a copy of "
             "it "
             "elsewhere: you need it to restore the backups.</p></div>");
  if (fault) out << fault_line(fault->message);
  out << Markup("<div><button class=\"btn\" name=\"do\" value=\"save\">Save</button></div></form></section>");
  return out;
}

Writer restore_section(const BackupState& state) {
  const std::string folder = state.schedule.folder.empty() ? "/mnt/disk/ladder" : state.schedule.folder;
  const std::string key = state.schedule.key_file.empty() ? "" : " --key " + shell_word(state.schedule.key_file);
  Writer out;
  out << Markup(
             "<section aria-labelledby=\"res\"><div class=\"block-head\"><h2 id=\"res\">Restore</h2></div><div class=\"card "
             "stack\"><p class=\"small soft\">In a terminal on the computer that gets the data. This creates a new store and "
             "changes "
             "no existing one:</p><div class=\"copy\"><code id=\"rs\">")
      << Text(format("ladder restore {}{} --db ~/restored.db", shell_word(folder), key))
      << Markup(
             "</code><button class=\"btn btn-s\" type=\"button\" data-copy=\"rs\" hidden>Copy</button></div><ol "
             "class=\"small\"><li>"
             "Every app's access is revoked in the restored store; sign-in stays as in the backup.</li><li>Look at it: "
             "<code>ladder "
             "serve --db ~/restored.db --listen 127.0.0.1:7700</code></li><li>An older backup: <code>ladder backup list</code> "
             "shows "
             "all, and <code>--at</code> chooses one.</li></ol><p class=\"small soft\">Check that every backup is "
             "complete:</p><div "
             "class=\"copy\"><code id=\"vf\">")
      << Text(format("ladder backup verify {}{}", shell_word(folder), key))
      << Markup("</code><button class=\"btn btn-s\" type=\"button\" data-copy=\"vf\" hidden>Copy</button></div></div></section>");
  return out;
}

Writer snapshots_section(const BackupState& state, Instant now) {
  Writer out;
  if (state.snapshots.empty()) return out;
  out << Markup(
             "<section aria-labelledby=\"his\"><div class=\"block-head\"><h2 id=\"his\">Your backups</h2><span class=\"quiet\">")
      << plural(std::ssize(state.snapshots), "backup", "backups") << Markup("</span></div><ul class=\"card card-flush list\">");
  for (std::size_t i = 0; i < std::min(state.snapshots.size(), kShownSnapshots); ++i) {
    out << Markup("<li><span class=\"glyph\">") << icon(Icon::kOk) << Markup("</span><div class=\"what\"><b>")
        << Text(moment_text(state.snapshots[i], now)) << Markup("</b></div></li>");
  }
  out << Markup("</ul></section>");
  return out;
}

Result<BackupSchedule> schedule_of(const pages::Form& form) {
  BackupSchedule schedule;
  schedule.every = form.one("every");
  const auto weekday = parse_number<int>(form.one("weekday")), hour = parse_number<int>(form.one("hour"));
  const auto keep = parse_number(form.one("keep"));
  if (!weekday || !hour || !keep) return fail(Code::kInvalidRequest, "choose a day, an hour and how many backups to keep");
  schedule.weekday = *weekday;
  schedule.hour = *hour;
  schedule.keep = *keep;
  schedule.folder = form.one("folder");
  schedule.key_file = form.one("key");
  return schedule;
}

http::Response other_owner(pages::Frame frame) {
  frame.title = "Backups";
  Writer main;
  main << settings_nav(SettingsPage::kBackups)
       << Markup("<p class=\"lead\">A backup contains the data of every owner, so the owner who runs the server makes them.</p>");
  return pages::page(200, frame, main);
}

}  // namespace

Result<http::Response> Console::backups(Visit& visit) {
  if (about_.backups == nullptr) return fail(Code::kNotFound, "this server makes no backups; use `ladder backup FOLDER`");
  if (!about_.backups->is_administrator(*visit.owner)) return other_owner(visit.frame);
  std::optional<BackupSchedule> entered;
  Status done;
  if (visit.is_post) {
    // The server writes to the folder, so an old session must not choose it.
    if (gate_.has_to_sign_in_again(visit)) return pages::Gate::sign_in_again("/settings/backups");
    const std::string wanted = visit.form.one("do");
    if (wanted == "now") done = about_.backups->begin(*visit.owner);
    if (wanted == "save") {
      LADDER_TRY(entered, schedule_of(visit.form));
      done = about_.backups->save(*visit.owner, *entered);
    }
    if (done) return pages::redirect_to("/settings/backups?done=" + html::Url::encoded(wanted));
    if (done.error().http_status() >= 500) return std::unexpected(done.error());
  }
  const Instant now = authorization_.now();
  LADDER_TRY(const BackupState state, about_.backups->state(*visit.owner));
  LADDER_TRY(const auto last, authorization_.server().maintenance().last_backup(*visit.owner));
  pages::Frame frame = visit.frame;
  frame.title = "Backups";
  frame.live = state.running || state.wanted;
  Writer main;
  main << settings_nav(SettingsPage::kBackups) << Markup("<div class=\"page-head\"")
       << (frame.live ? Markup(" data-live>") : Markup(">")) << Markup("<div><h2 class=\"big-2\">Backups</h2>")
       << lead(state, last, now) << Markup("</div>");
  if (!frame.live && !state.schedule.folder.empty())
    main << button_form(Url::path("/settings/backups"), visit.csrf(), "do", "now", "Back up now", "btn btn-act");
  main << Markup("</div>");
  if (visit.form.one("done") == "save" && !visit.is_post) main << done_notice("Schedule saved.");
  main << warnings(state, now) << Markup("<div class=\"cols\">")
       << schedule_form(state, entered ? *entered : state.schedule, visit.csrf(), done ? nullptr : &done.error())
       << Markup("<div class=\"stack-5\">") << restore_section(state) << snapshots_section(state, now) << Markup("</div></div>");
  return pages::page(done ? 200 : done.error().http_status(), frame, main);
}

}  // namespace ladder::console
