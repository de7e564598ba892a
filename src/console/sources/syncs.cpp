#include "console/sources/syncs.h"

#include "base/text/format.h"

namespace ladder::console {
namespace {

using State = SyncedSource::State;

std::string state_text(const SyncedSource& source, Instant now) {
  const std::string last = source.succeeded_at == 0 ? "Not read yet" : "Last read " + moment_text(source.succeeded_at, now);
  switch (source.state) {
    case State::kPaused:
      return format("Paused by you. {}.", last);
    case State::kFailing:
      return format("{}. Failed {} in a row; next try {}.", last,
                    source.failures == 1 ? "once" : format("{} times", source.failures), moment_text(source.due_at, now));
    case State::kNew:
      return "Not read yet; it begins within seconds while the server runs.";
    case State::kAsks:
    case State::kCurrent:
      break;
  }
  return last + ".";
}

Writer command(const std::string& line) {
  Writer out;
  out << Markup("<code>") << Text(line) << Markup("</code>");
  return out;
}

// The problem and its remedy; empty if there is none.
Writer problem(const SyncedSource& source) {
  Writer out;
  if (source.state == State::kFailing) {
    const bool is_rejected = source.error_code == info(Code::kAuthentication).wire;
    out << Markup("<p>") << icon(Icon::kWarn) << Markup(" <span dir=\"auto\">") << Text(source.error)
        << Markup("</span></p><p>Run ") << command(format("ladder sync {} {}", is_rejected ? "password" : "run", source.name))
        << Text(std::string_view(is_rejected ? " to set a new password." : " to try again now.")) << Markup(" Error code: <code>")
        << Text(source.error_code) << Markup("</code></p>");
  }
  if (source.state == State::kAsks) {
    out << Markup("<p>") << icon(Icon::kWarn) << Markup(" ") << plural(source.waiting_removals, "message is", "messages are")
        << Markup(" gone from the account. Nothing was removed here. If you deleted them, run ")
        << command(format("ladder sync run {} --remove-missing", source.name)) << Markup("</p>");
  }
  return out;
}

Writer item(const SyncedSource& source, Instant now) {
  Writer out;
  out << Markup("<li>") << icon(Icon::kLayers) << Markup("<div class=\"what\"><b>") << Text(source.name)
      << Markup("</b> <span class=\"quiet\" dir=\"auto\">") << Text(source.account) << Markup("</span><p>")
      << plural(source.messages, "message", "messages") << Markup(". ") << Text(state_text(source, now)) << Markup("</p>")
      << problem(source) << Markup("</div>");
  if (source.messages > 0) {
    out << Markup("<a class=\"btn btn-s btn-bare\"") << Attribute("href", Url::path("/explore").with("source", source.connection))
        << Markup(">Explore<span class=\"unseen\"> ") << Text(source.name) << Markup("</span></a>");
  }
  out << Markup("</li>");
  return out;
}

}  // namespace

Writer syncs_section(const std::vector<SyncedSource>& sources, Instant now) {
  Writer out;
  if (sources.empty()) return out;
  out << Markup(
      "<section aria-labelledby=\"synced\"><div class=\"block-head\"><h2 id=\"synced\">Syncing automatically</h2></div><div "
      "class=\"card card-flush\"><ul class=\"list\">");
  for (const SyncedSource& source : sources) out << item(source, now);
  out << Markup("</ul></div></section>");
  return out;
}

}  // namespace ladder::console
