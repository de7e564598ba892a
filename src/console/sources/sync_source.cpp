// The page of a synced source: its state, what is synced, its password, and how to remove it.
#include "base/text/format.h"
#include "base/text/number.h"
#include "console/console.h"
#include "console/parts.h"
#include "console/sources/syncs.h"

#include <algorithm>
#include <array>
#include <optional>

namespace ladder::console {
namespace {

using State = SyncedSource::State;

constexpr std::array<std::int64_t, 5> kIntervals = {5 * 60, 15 * 60, 60 * 60, 6 * 60 * 60, 24 * 60 * 60};

// The parts of the page that do not come from the stored source.
struct Shown {
  std::optional<SyncTest> test = {};
  std::optional<Error> problem = {};
  std::string_view section = {};  // where the problem is shown: "test" or "password"
};

Writer notice(const Error& error) {
  Writer out;
  out << Markup("<div class=\"notice notice-bad\" role=\"alert\">") << icon(Icon::kWarn) << Markup("<div class=\"stack-2\">")
      << sign_in_problem(error) << Markup("</div></div>");
  return out;
}

Writer begin_form(const SyncedSource& source, const std::string& csrf, Markup attributes) {
  Writer out;
  out << Markup("<form method=\"post\" action=\"/sources/sync\" ") << attributes << Markup(">") << hidden("csrf", csrf)
      << hidden("name", source.name);
  return out;
}

Writer state_card(const SyncedSource& source, const std::string& csrf, Instant now) {
  Writer out;
  out << Markup("<section class=\"card stack\" aria-labelledby=\"now\"><div class=\"block-head\"><h2 id=\"now\">")
      << sync_state(source) << Markup("</h2><div class=\"row\">");
  if (source.state == State::kPaused) {
    if (source.tried_at > 0) out << sync_action(source, csrf, "resume", "Resume", "btn btn-s");
  } else {
    if (source.state != State::kRunning) out << sync_action(source, csrf, "run", "Sync now", "btn btn-s");
    out << sync_action(source, csrf, "pause", "Pause", "btn btn-s");
  }
  out << Markup("</div></div>");
  if (const Writer problem = sync_problem(source, csrf); !problem.empty())
    out << Markup("<div class=\"stack-2\">") << problem << Markup("</div>");
  out << Markup("<dl class=\"facts\"><dt>Account</dt><dd dir=\"auto\">") << Text(source.account)
      << Markup("</dd><dt>Here</dt><dd>") << count_text(source.messages, source.kind);
  if (source.messages > 0 && source.kind != SyncKind::kFolder) {
    out << Markup(" <a") << Attribute("href", Url::path("/explore").with("source", source.connection))
        << Markup(">Search them</a>");
  }
  out << Markup("</dd><dt>Last result</dt><dd>");
  if (source.succeeded_at == 0) out << Markup("Not read yet");
  else
    out << Text(moment_text(source.succeeded_at, now)) << Markup(", ") << count_text(source.added, source.kind) << Markup(" new");
  out << Markup("</dd><dt>Next run</dt><dd>");
  if (source.state == State::kPaused) out << Markup("When you resume it");
  else if (source.state == State::kRunning || source.due_at <= now) out << Markup("Within seconds");
  else
    out << Text(moment_text(source.due_at, now))
        << (source.kind == SyncKind::kMail ? Markup(", earlier if the server announces new mail")
            : source.kind == SyncKind::kMailFolder || source.kind == SyncKind::kFolder ? Markup(", earlier if the folder changes")
                                                                                       : Markup(""));
  out << Markup("</dd></dl></section>");
  return out;
}

Writer folder_pills(const SyncTest& test) {
  Writer out;
  if (test.folders.empty()) return out;
  out << Markup("<fieldset class=\"stack-2\"><legend class=\"label\">Folders</legend><div class=\"pills\">");
  for (const SyncFolder& folder : test.folders) {
    out << Markup("<label class=\"pill\"><input type=\"checkbox\" name=\"folder\"") << Attribute("value", folder.name)
        << (folder.is_synced ? Markup(" checked><bdi>") : Markup("><bdi>")) << Text(folder.name) << Markup("</bdi>");
    if (folder.messages) out << Markup(" <span class=\"num\">") << Text(*folder.messages) << Markup("</span>");
    out << Markup("</label>");
    if (folder.is_synced) out << hidden("was", folder.name);
  }
  out << Markup(
      "</div><p class=\"hint\">Junk, trash and folders that only repeat others are left out unless you choose "
      "them.</p></fieldset>");
  return out;
}

Writer interval_field(std::int64_t every) {
  Writer out;
  out << Markup(
      "<div class=\"field\"><label for=\"every\">Check for changes</label><select class=\"input\" id=\"every\" name=\"every\">");
  const auto option = [&](std::int64_t seconds) {
    out << Markup("<option") << Attribute("value", std::to_string(seconds))
        << (seconds == every ? Markup(" selected>Every ") : Markup(">Every ")) << Text(every_text(seconds))
        << Markup("</option>");
  };
  for (const std::int64_t seconds : kIntervals) option(seconds);
  if (std::ranges::find(kIntervals, every) == kIntervals.end()) option(every);
  out << Markup("</select></div>");
  return out;
}

Writer deletion_options(bool keep_deleted) {
  Writer out;
  const auto option = [&](Markup value, bool is_chosen, Markup title, Markup text) {
    out << Markup("<label class=\"option\"><input type=\"radio\" name=\"deleted\" value=\"") << value
        << (is_chosen ? Markup("\" checked><span><b>") : Markup("\"><span><b>")) << title
        << Markup("</b></span><span class=\"d\">") << text << Markup("</span></label>");
  };
  out << Markup(
      "<fieldset class=\"stack-2\"><legend class=\"label\">When something is deleted in the account</legend><div "
      "class=\"grid-2\">");
  option("remove", !keep_deleted, "Delete it here too", "If many are gone at once, Ladder asks you first.");
  option("keep", keep_deleted, "Keep it in Ladder", "Your copy stays complete, like an archive.");
  out << Markup("</div></fieldset>");
  return out;
}

Writer test_section(const SyncedSource& source, const Shown& shown, const std::string& csrf) {
  Writer out;
  const bool is_new = source.state == State::kPaused && source.tried_at == 0;
  out << Markup("<section aria-labelledby=\"what\"><div class=\"block-head\"><h2 id=\"what\">What to sync</h2></div>");
  if (shown.problem && shown.section == "test") out << notice(*shown.problem);
  if (!shown.test) {
    out << Markup("<div class=\"card row\"><p class=\"small soft\">Test the connection to see the folders.</p>")
        << sync_action(source, csrf, "test", "Test connection", "btn btn-s") << Markup("</div></section>");
    return out;
  }
  std::int64_t messages = 0;
  for (const SyncFolder& folder : shown.test->folders) messages += folder.is_synced ? folder.messages.value_or(0) : 0;
  out << begin_form(source, csrf, "class=\"card stack\"")
      << Markup("<div role=\"status\"><ul class=\"testlist\"><li class=\"ok\">") << icon(Icon::kOk) << Markup("<span>It works. ");
  if (source.kind == SyncKind::kMail || source.kind == SyncKind::kMailFolder)
    out << Markup("<b>") << count_text(messages, source.kind) << Markup("</b> in the chosen folders of ");
  if (!shown.test->folders.empty()) out << plural(std::ssize(shown.test->folders), "folder", "folders") << Markup(".");
  out << Markup("</span></li>");
  out << (shown.test->announces ? Markup("<li class=\"ok\">") : Markup("<li class=\"hm\">"))
      << icon(shown.test->announces ? Icon::kOk : Icon::kWarn)
      << (shown.test->announces ? Markup("<span>Changes are announced, so they are here within seconds.</span></li></ul></div>")
                                : Markup("<span>Changes are not announced. Ladder checks at intervals.</span></li></ul></div>"))
      << folder_pills(*shown.test) << interval_field(source.every_seconds);
  if (source.kind != SyncKind::kFeed) out << deletion_options(source.keep_deleted);
  out << Markup("<div class=\"row\"><button class=\"btn btn-act\" name=\"do\" value=\"choose\">")
      << (is_new ? Markup("Start syncing") : Markup("Save"))
      << Markup("</button></div><p class=\"hint\">Apps don't see this source until you allow it.</p></form></section>");
  return out;
}

Writer password_section(const SyncedSource& source, const Shown& shown, const std::string& csrf) {
  Writer out;
  out << Markup("<section id=\"password\" aria-labelledby=\"pw\"><div class=\"block-head\"><h2 id=\"pw\">Password</h2></div>");
  if (shown.problem && shown.section == "password") out << notice(*shown.problem);
  if (source.uses_command) {
    out << Markup(
               "<p class=\"card small soft\">A command prints the password. Change it in a terminal: <code>ladder sync password ")
        << Text(source.name) << Markup("</code></p></section>");
    return out;
  }
  out << begin_form(source, csrf, "class=\"card stack\" autocomplete=\"off\"")
      << Markup(
             "<div class=\"field\"><label for=\"np\">New password or app password</label><input class=\"input\" id=\"np\" "
             "name=\"password\" type=\"password\" autocomplete=\"off\" required></div><div><button class=\"btn\" name=\"do\" "
             "value=\"password\">Test and save</button></div></form></section>");
  return out;
}

Writer remove_section(const SyncedSource& source, const std::string& csrf) {
  Writer out;
  out << Markup("<section aria-labelledby=\"rm\"><div class=\"block-head\"><h2 id=\"rm\">Stop syncing</h2></div>")
      << begin_form(source, csrf, "class=\"card stack\"") << Markup("<fieldset class=\"stack-2\"><legend class=\"small soft\">")
      << (has_password(source.kind)
              ? Markup("Ladder forgets the account and its password. Nothing changes in the account.</legend>")
              : Markup("Ladder forgets this source. Nothing changes there.</legend>"))
      << Markup(
             "<label class=\"tick\"><input type=\"radio\" name=\"records\" value=\"keep\" checked><span>Keep its data in "
             "Ladder</span></label><label class=\"tick\"><input type=\"radio\" name=\"records\" value=\"delete\"><span>Delete "
             "its "
             "data from Ladder too, after a confirmation</span></label></fieldset><div><button class=\"btn btn-bad\" name=\"do\" "
             "value=\"remove\">Remove</button></div></form></section>");
  return out;
}

// Without any folder everything would be synced, which is not what an owner means by clearing all of them.
Result<SyncChoices> choices_of(const pages::Form& form, const SyncedSource& source) {
  SyncChoices choices;
  const std::vector<std::string> chosen = form.all("folder");
  const bool has_folders = source.kind != SyncKind::kFeed && source.kind != SyncKind::kProgram;
  if (chosen.empty() && has_folders)
    return fail(Code::kInvalidRequest, "choose at least one folder; Pause stops syncing", "folder");
  // If nothing was changed, folders that the account gets later are synced too.
  if (chosen != form.all("was")) choices.folders = chosen;
  const auto every = parse_number(form.one("every"));
  const bool is_known = every && std::ranges::find(kIntervals, *every) != kIntervals.end();
  choices.every_seconds = is_known ? *every : source.every_seconds;
  choices.keep_deleted = form.one("deleted") == "keep";  // feeds have no such choice
  return choices;
}

http::Response sync_page(pages::Frame frame, const SyncedSource& source, const Shown& shown, const std::string& csrf,
                         Instant now) {
  frame.title = source.name;
  const bool is_busy = source.state == State::kRunning && !shown.test && !shown.problem;
  frame.live = is_busy;
  Writer main;
  main << Markup("<div><p class=\"crumb\"><a href=\"/sources\">Sources</a> <span>/</span> <span>") << Text(source.name)
       << Markup("</span></p><div class=\"page-head\"><h1>") << Text(source.name) << Markup("</h1></div></div>");
  if (is_busy)
    main << Markup("<div data-live=\"1\" data-state=\"running\">") << state_card(source, csrf, now) << Markup("</div>");
  else main << state_card(source, csrf, now);
  main << test_section(source, shown, csrf);
  if (has_password(source.kind)) main << password_section(source, shown, csrf);
  main << remove_section(source, csrf);
  return pages::page(shown.problem ? 422 : 200, frame, main);
}

}  // namespace

Result<http::Response> Console::sync(Visit& visit) {
  if (about_.syncs == nullptr) return fail(Code::kNotFound, "this server syncs no sources");
  SyncedSources& syncs = *about_.syncs;
  const std::string name = visit.form.one("name");
  LADDER_TRY(const SyncedSource source, syncs.find(*visit.owner, name));
  const std::string here = "/sources/sync?name=" + Url::encoded(name);
  Shown shown;
  const auto test = [&] {
    auto tested = syncs.test(*visit.owner, name);
    if (tested) shown.test = *std::move(tested);
    else shown = {{}, std::move(tested).error(), "test"};
  };
  if (!visit.is_post) {
    // A source that was just added has no folders chosen yet.
    if (source.state == State::kPaused && source.tried_at == 0 && !visit.form.one("test").empty()) test();
    return sync_page(visit.frame, source, shown, visit.csrf(), authorization_.now());
  }
  const std::string what = visit.form.one("do");
  const std::int64_t confirmed = std::max<std::int64_t>(0, parse_number(visit.form.one("confirmed")).value_or(0));
  const bool is_serious = what == "password" || what == "remove" || (what == "run" && confirmed > 0);
  if (is_serious && gate_.has_to_sign_in_again(visit)) return pages::Gate::sign_in_again(here);
  if (what == "test") {
    test();
    return sync_page(visit.frame, source, shown, visit.csrf(), authorization_.now());
  }
  if (what == "choose") {
    auto choices = choices_of(visit.form, source);
    if (!choices) {
      test();
      shown.problem = std::move(choices).error();
      shown.section = "test";
      return sync_page(visit.frame, source, shown, visit.csrf(), authorization_.now());
    }
    LADDER_CHECK(syncs.choose(*visit.owner, name, *choices));
  }
  if (what == "run") LADDER_CHECK(syncs.run_now(*visit.owner, name, confirmed));
  if (what == "pause" || what == "resume") LADDER_CHECK(syncs.set_paused(*visit.owner, name, what == "pause"));
  if (what == "password") {
    if (auto done = syncs.set_password(*visit.owner, name, visit.form.one("password")); !done) {
      shown = {{}, std::move(done).error(), "password"};
      return sync_page(visit.frame, source, shown, visit.csrf(), authorization_.now());
    }
  }
  if (what == "remove") {
    LADDER_CHECK(syncs.remove(*visit.owner, name));
    const bool also_records = visit.form.one("records") == "delete" && source.messages > 0 && source.kind != SyncKind::kFolder;
    return pages::redirect_to(also_records ? "/sources/erase?connection=" + Url::encoded(source.connection) : "/sources");
  }
  return pages::redirect_to(here);
}

}  // namespace ladder::console
