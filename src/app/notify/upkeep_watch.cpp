#include "app/notify/upkeep_watch.h"

#include "base/text/format.h"

namespace ladder::app {
namespace {

constexpr std::int64_t kFailures = 3;  // a server may be away for some minutes

notify::Notice notice(notify::Event event, const std::string& key, std::string title, std::string text, std::string path,
                      Instant now) {
  return {"", event, format("{}\n{}", notify::info(event).word, key), std::move(title), std::move(text), std::move(path), now};
}

}  // namespace

Result<std::vector<notify::Notice>> failed_syncs(sync::SyncStore& store, const server::Access& owner) {
  LADDER_TRY(const auto sources, store.list(owner));
  std::vector<notify::Notice> notices;
  for (const sync::Source& source : sources) {
    LADDER_TRY(const sync::SourceStatus status, store.status(owner, source.name));
    const bool is_rejected = status.error_code == info(Code::kAuthentication).wire;
    if (source.paused || status.failures == 0 || (status.failures < kFailures && !is_rejected)) continue;
    notices.push_back(notice(notify::Event::kSyncFails, format("{}\n{}\n{}", source.name, source.created_at, status.succeeded_at),
                             "a source stopped syncing",
                             is_rejected
                                 ? format("The server rejected the password of the source “{}”.", source.name)
                                 : format("The source “{}” could not be read {} times in a row.", source.name, status.failures),
                             "/sources", store.now()));
  }
  return notices;
}

Result<std::vector<notify::Notice>> failed_backups(BackupPlans& plans, const server::Access& owner) {
  LADDER_TRY(const BackupResult result, plans.result(owner));
  std::vector<notify::Notice> notices;
  if (result.failures == 0) return notices;
  notices.push_back(notice(notify::Event::kBackupFails, std::to_string(result.succeeded_at), "a backup failed",
                           format("The backup failed {}. The page says why.",
                                  result.failures == 1 ? "once" : format("{} times in a row", result.failures)),
                           "/settings/backups", plans.now()));
  return notices;
}

}  // namespace ladder::app
