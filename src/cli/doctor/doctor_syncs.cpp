// Checks the sources that Ladder reads by itself: their last runs, and whether anything runs them.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/doctor/checks.h"

#include <algorithm>

namespace ladder::cli {
namespace {

constexpr std::int64_t kLatePeriods = 3;  // after that many intervals without a run, nothing seems to run the source
constexpr Instant kLeastLate = kDay;

std::string remedy_of(const sync::Source& source, const sync::SourceStatus& status) {
  if (status.error_code == info(Code::kAuthentication).wire)
    return format("`ladder sync password {0}` sets a new password, `ladder sync test {0}` tries it", source.name);
  return format("follow the message; `ladder sync run {}` tries again now", source.name);
}

void check_source(const sync::Source& source, const sync::SourceStatus& status, Instant now, app::Findings& findings) {
  const std::string thing = format("{} ({})", source.name, visible_label(sync::place_of(source)));
  if (source.paused) return findings.ok("sync", thing, "is paused");
  if (status.failures > 0)
    return findings.problem(
        "sync", thing, format("failed {} time{} in a row: {}", status.failures, status.failures == 1 ? "" : "s", status.error),
        remedy_of(source, status));
  if (status.waiting_removals > 0)
    return findings.warn(
        "sync", thing,
        format("{} messages are no longer in the synced folders, and nothing was removed here", status.waiting_removals),
        format("if you deleted them, run `ladder sync run {} --remove-missing`", source.name));
  const Instant last = std::max(status.succeeded_at, source.created_at);
  if (now - last > std::max(kLatePeriods * source.every_seconds * kSecond, kLeastLate))
    return findings.warn("sync", thing, format("was last read at {}", format_time(last)),
                         "keep `ladder serve` running, or pause the source");
  findings.ok("sync", thing, status.succeeded_at == 0 ? "was not read yet" : format("is current: {} messages", status.messages));
}

}  // namespace

void check_syncs(Session& session, app::Findings& findings) {
  const auto owner = session.owner();
  if (!owner) return;  // already reported
  sync::SyncStore& store = session.sync_store();
  const auto sources = store.list(*owner);
  if (!sources)
    return findings.problem("sync", owner->owner_name(), sources.error().message, "fix the problem with the store first");
  for (const sync::Source& source : *sources) {
    const auto status = store.status(*owner, source.name);
    if (status) check_source(source, *status, store.now(), findings);
    else findings.problem("sync", source.name, status.error().message, "fix the problem with the store first");
  }
}

}  // namespace ladder::cli
