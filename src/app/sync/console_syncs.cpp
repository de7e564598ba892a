#include "app/sync/console_syncs.h"

#include "base/text/format.h"

namespace ladder::app {
namespace {

using State = console::SyncedSource::State;

State state_of(const sync::Source& source, const sync::SourceStatus& status) {
  if (source.paused) return State::kPaused;
  if (status.failures > 0) return State::kFailing;
  if (status.waiting_removals > 0) return State::kAsks;
  return status.succeeded_at == 0 ? State::kNew : State::kCurrent;
}

}  // namespace

Result<std::vector<console::SyncedSource>> ConsoleSyncs::list(const server::Access& owner) {
  LADDER_TRY(const auto sources, store_.list(owner));
  std::vector<console::SyncedSource> all;
  for (const sync::Source& source : sources) {
    LADDER_TRY(const sync::SourceStatus status, store_.status(owner, source.name));
    all.push_back({state_of(source, status), source.name, format("{} at {}", source.user, source.server.host), source.connection,
                   status.messages, status.succeeded_at, status.due_at, status.failures, status.error, status.error_code,
                   status.waiting_removals});
  }
  return all;
}

}  // namespace ladder::app
