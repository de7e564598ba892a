#include "console/sources/syncs.h"

#include "auth/text_formatting.h"
#include "base/text/format.h"

namespace ladder::console {
namespace {

using State = SyncedSource::State;

constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDaySeconds = 24 * kHour;

Writer state_line(Markup look, Icon sign, Markup text) {
  Writer out;
  out << Markup("<span class=\"state ") << look << Markup("\">") << icon(sign) << text << Markup("</span>");
  return out;
}

Icon icon_of(SyncKind kind) {
  return kind == SyncKind::kCalendar                                                          ? Icon::kCalendar
         : kind == SyncKind::kContacts                                                        ? Icon::kPerson
         : kind == SyncKind::kFolder || kind == SyncKind::kFeed || kind == SyncKind::kProgram ? Icon::kFile
                                                                                              : Icon::kMail;
}

Writer item(const SyncedSource& source, const std::string& csrf, Instant now) {
  Writer out;
  out << (source.state == State::kFailing || source.state == State::kAsks ? Markup("<li class=\"src src-bad\">")
                                                                          : Markup("<li class=\"src\">"))
      << Markup("<span class=\"glyph\">") << icon(icon_of(source.kind)) << Markup("</span><div><a")
      << Attribute("href", Url::path("/sources/sync?name=", source.name)) << Markup("><b>") << Text(source.name)
      << Markup("</b></a><p><span dir=\"auto\">") << Text(source.account) << Markup("</span>, ")
      << count_text(source.messages, source.kind) << Markup("</p></div><div>") << sync_state(source) << Markup("<p>")
      << Text(sync_times(source, now)) << Markup("</p></div><div class=\"do\">");
  if (source.state == State::kPaused) out << sync_action(source, csrf, "resume", "Resume", "btn btn-s");
  else if (source.state != State::kRunning) out << sync_action(source, csrf, "run", "Sync now", "btn btn-s");
  out << Markup("<a class=\"btn btn-s btn-bare\"") << Attribute("href", Url::path("/sources/sync?name=", source.name))
      << Markup(">Settings<span class=\"unseen\"> ") << Text(source.name) << Markup("</span></a></div>");
  if (const Writer problem = sync_problem(source, csrf); !problem.empty())
    out << Markup("<div class=\"full stack-2\">") << problem << Markup("</div>");
  out << Markup("</li>");
  return out;
}

}  // namespace

Writer count_text(std::int64_t count, SyncKind kind) {
  if (kind == SyncKind::kCalendar) return plural(count, "event", "events");
  if (kind == SyncKind::kContacts) return plural(count, "contact", "contacts");
  if (kind == SyncKind::kFolder) return plural(count, "file", "files");
  if (kind == SyncKind::kFeed) return plural(count, "entry", "entries");
  if (kind == SyncKind::kProgram) return plural(count, "record", "records");
  return plural(count, "message", "messages");
}

std::string every_text(std::int64_t seconds) {
  const auto one = [](std::int64_t count, std::string_view unit) {
    return count == 1 ? std::string(unit) : format("{} {}s", count, unit);
  };
  if (seconds % kDaySeconds == 0) return one(seconds / kDaySeconds, "day");
  if (seconds % kHour == 0) return one(seconds / kHour, "hour");
  return one(seconds / kMinute, "minute");
}

Writer sync_state(const SyncedSource& source) {
  switch (source.state) {
    case State::kPaused:
      return state_line("state-off", Icon::kClock, source.tried_at == 0 ? Markup("Not started yet") : Markup("Paused by you"));
    case State::kFailing:
      return source.error_code == info(Code::kAuthentication).wire
                 ? state_line("state-bad", Icon::kWarn, "The server rejected the password")
                 : state_line("state-bad", Icon::kWarn, "The last sync failed");
    case State::kAsks:
      return state_line("state-warn", Icon::kWarn, "Waiting for your decision");
    case State::kNew:
    case State::kRunning:
      return state_line("state-info", Icon::kGo, "Syncing");
    case State::kCurrent:
      break;
  }
  return state_line("state-ok", Icon::kOk, "Up to date");
}

std::string sync_times(const SyncedSource& source, Instant now) {
  const std::string last =
      source.succeeded_at == 0 ? "Not read yet." : "Last read: " + moment_text(source.succeeded_at, now) + ".";
  switch (source.state) {
    case State::kFailing:
      return format("{} Failed {} in a row. Next try: {}.", last,
                    source.failures == 1 ? "once" : format("{} times", source.failures), moment_text(source.due_at, now));
    case State::kCurrent:
      return format("{} Checked every {}.", last, every_text(source.every_seconds));
    default:
      return last;
  }
}

Writer sync_action(const SyncedSource& source, const std::string& csrf, std::string_view action, std::string_view label,
                   std::string_view look) {
  Writer out;
  out << Markup("<form method=\"post\" action=\"/sources/sync\">") << hidden("csrf", csrf) << hidden("name", source.name)
      << hidden("do", action) << Markup("<button") << Attribute("class", look) << Markup(">") << Text(label)
      << Markup("<span class=\"unseen\"> ") << Text(source.name) << Markup("</span></button></form>");
  return out;
}

Writer sign_in_problem(const Error& error) {
  Writer out;
  out << Markup("<p><b dir=\"auto\">") << Text(auth::at_start(error.message)) << Markup("</b></p>");
  switch (error.code) {
    case Code::kAuthentication:
      out << Markup(
          "<p>Gmail, iCloud, Yahoo and Fastmail want an <b>app password</b> instead of your normal one. You create it in the "
          "security settings of your account there.</p>");
      break;
    case Code::kRsUnreachable:
    case Code::kRsTimeout:
      out << Markup("<p>Check the server's name, the port and the encryption, and that this computer is online.</p>");
      break;
    default:
      break;
  }
  out << Markup("<p class=\"quiet small\">Error code: <code>") << Text(error.wire()) << Markup("</code></p>");
  return out;
}

namespace {

// The missing records of folders are counted one by one, since a file may have many.
Writer removals_text(const SyncedSource& source) {
  return source.kind == SyncKind::kFolder ? plural(source.waiting_removals, "record", "records")
                                          : count_text(source.waiting_removals, source.kind);
}

}  // namespace

Writer sync_problem(const SyncedSource& source, const std::string& csrf) {
  Writer out;
  if (source.state == State::kFailing) {
    out << Markup("<p dir=\"auto\">") << Text(auth::at_start(source.error)) << Markup("</p>");
    if (source.error_code == info(Code::kAuthentication).wire) {
      out << Markup("<p>Many providers want an <b>app password</b> instead of your normal one. ");
      if (!source.uses_command) {
        out << Markup("<a") << Attribute("href", Url::path("/sources/sync?name=", source.name).at("password"))
            << Markup(">Change the password</a>. ");
      }
    } else {
      out << Markup("<p>");
    }
    out << Markup("What is here stays searchable. <span class=\"quiet\">Error code: <code>") << Text(source.error_code)
        << Markup("</code></span></p>");
  }
  if (source.waiting_removals > 0 && source.state != State::kPaused && source.state != State::kRunning) {
    out << Markup("<p><b>") << removals_text(source)
        << (source.waiting_removals == 1 ? Markup(" is no longer in what you sync.</b>")
                                         : Markup(" are no longer in what you sync.</b>"))
        << Markup(
               " Nothing was removed here. Remove them only if you deleted them in the account, or no longer want their folder "
               "here.</p><form method=\"post\" action=\"/sources/sync\">")
        << hidden("csrf", csrf) << hidden("name", source.name) << hidden("confirmed", std::to_string(source.waiting_removals))
        << Markup("<button class=\"btn btn-s btn-bad\" name=\"do\" value=\"run\">Remove ") << removals_text(source)
        << Markup(" here too</button></form>");
  }
  return out;
}

Writer syncs_section(const std::vector<SyncedSource>& sources, const std::string& csrf, bool can_add, Instant now) {
  Writer out;
  if (sources.empty() && !can_add) return out;
  out << Markup("<section aria-labelledby=\"synced\"><div class=\"block-head\"><h2 id=\"synced\">Syncing automatically</h2>");
  if (can_add) out << Markup("<a class=\"btn btn-s\" href=\"/sources/add\">Add an account</a>");
  out << Markup("</div>");
  if (sources.empty()) {
    out << Markup(
        "<p class=\"card small soft\">None yet. Ladder can read a mail account, calendars, contacts and feeds by itself, so "
        "that changes are "
        "searchable soon. It never changes anything in the account.</p></section>");
    return out;
  }
  out << Markup("<ul class=\"card card-flush\">");
  for (const SyncedSource& source : sources) out << item(source, csrf, now);
  out << Markup("</ul></section>");
  return out;
}

}  // namespace ladder::console
