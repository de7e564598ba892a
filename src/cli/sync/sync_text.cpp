#include "cli/sync/sync_text.h"

#include "app/import/extractor.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "cli/invocation/settings.h"
#include "sync/removals.h"

#include <poll.h>

#include <array>
#include <charconv>

namespace ladder::cli {
namespace {

constexpr std::int64_t kMinute = 60, kHour = 60 * kMinute, kDaySeconds = 24 * kHour;

}  // namespace

StopToken::StopToken()
    : watcher_([this](const std::stop_token& over) {
        while (!over.stop_requested() && !signal_.requested()) {
          pollfd watched{signal_.descriptor(), POLLIN, 0};
          poll(&watched, 1, 100);
        }
        if (signal_.requested()) source_.request_stop();
      }) {}

app::SyncRunner make_runner(const Context& context, Session& session) {
  return {
      session.server(),
      session.sync_store(),
      {{app::extractor_program(context.environment("LADDER_EXTRACT")), context.version}, work_folder(context.settings, "sync")}};
}

std::string state_word(const sync::Source& source, const sync::SourceStatus& status, Instant /*now*/) {
  if (source.paused) return "paused";
  if (status.failures > 0) return "failing";
  if (status.waiting_removals > 0) return "needs you";
  return status.succeeded_at == 0 ? "new" : "ok";
}

void write(json::Writer& out, const sync::Source& source, const sync::SourceStatus& status, Instant now) {
  const auto time = [&](std::string_view name, Instant at) {
    if (at > 0) out.member(name, format_time(at));
  };
  out.begin_object()
      .member("name", source.name)
      .member("kind", sync::word_for(source.kind))
      .member("state", state_word(source, status, now));
  if (source.kind == sync::Kind::kImap) {
    out.member("host", source.server.host).member("port", std::int64_t{source.server.port});
    out.member("security", sync::word_for(source.server.security));
  }
  out.optional_member("address", source.address).optional_member("program", source.program).optional_member("user", source.user);
  out.member("connection_id", source.connection).key("folders").begin_array();
  for (const std::string& folder : source.folders) out.string(folder);
  out.end_array().member("every_seconds", source.every_seconds).member("keep_deleted", source.keep_deleted);
  time("tried_at", status.tried_at);
  time("succeeded_at", status.succeeded_at);
  time("due_at", status.due_at);
  out.member("messages", status.messages).member("added", status.added).member("waiting_removals", status.waiting_removals);
  out.member("failures", status.failures).optional_member("error_code", status.error_code).optional_member("error", status.error);
  out.end_object();
}

void write(json::Writer& out, const sync::RunReport& report) {
  out.begin_object().member("folders", report.folders).member("unchanged_folders", report.unchanged);
  out.member("messages", report.messages).member("fetched", report.fetched).member("fetched_bytes", report.fetched_bytes);
  out.member("changed_flags", report.changed_flags).member("removed", report.removed);
  out.member("waiting_removals", report.waiting_removals)
      .member("incomplete", report.is_incomplete)
      .key("unreadable_folders")
      .begin_array();
  for (const std::string& folder : report.unreadable) out.string(folder);
  out.end_array().end_object();
}

std::string report_text(const std::string& name, const sync::RunReport& report) {
  std::string text = format("{}: {} item{} in {} folder{}", name, grouped(report.messages), report.messages == 1 ? "" : "s",
                            grouped(report.folders), report.folders == 1 ? "" : "s");
  const auto add = [&](std::int64_t count, std::string_view what) {
    if (count > 0) text += format(", {} {}", grouped(count), what);
  };
  add(report.fetched, "new");
  add(report.changed_flags, "with changed flags");
  add(report.removed, "removed");
  if (report.fetched + report.changed_flags + report.removed + report.waiting_removals == 0) text += ", nothing new";
  text += "\n";
  for (const std::string& folder : report.unreadable)
    text += format("  the server does not open the folder {}; name the folders to sync with --folder to leave it out\n",
                   visible_label(folder));
  if (report.is_incomplete)
    text += "  not everything could be read, so nothing was removed; `ladder connection show ID` lists what was not\n";
  if (report.waiting_removals > 0) {
    text += format(
        "  {} items are no longer in the synced folders; nothing was removed here, because they are more than {} % of all within "
        "a\n"
        "  week, or because a folder is not synced any more, or another import has them too. To remove them, run\n"
        "  ladder sync run {} --remove-missing\n",
        grouped(report.waiting_removals), sync::kConfirmedPercent, shell_word(name));
  }
  return text;
}

Result<std::int64_t> parse_every(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  const std::int64_t seconds = unit == "m" ? kMinute : unit == "h" ? kHour : unit == "d" ? kDaySeconds : 0;
  if (error == std::errc() && seconds > 0 && number > 0 && number <= 30 * kDaySeconds / seconds) return number * seconds;
  return fail(Code::kInvalidRequest, "--every must be a number of minutes, hours or days up to 30d: 15m, 1h, 1d", "--every");
}

std::string every_text(std::int64_t seconds) {
  if (seconds % kDaySeconds == 0) return format("{}d", seconds / kDaySeconds);
  if (seconds % kHour == 0) return format("{}h", seconds / kHour);
  return format("{}m", seconds / kMinute);
}

}  // namespace ladder::cli
