#include "app/backup/backup_run.h"

#include "app/backup/backup_writer.h"
#include "store/engines/backup.h"

#include <sys/resource.h>

#include <filesystem>
#include <system_error>

namespace ladder::app {

void lower_priority() { ::setpriority(PRIO_PROCESS, 0, 5); }

Result<BackupReport> back_up(const BackupJob& job, Instant now, const std::function<Status(std::int64_t bytes)>& did) {
  LADDER_TRY(
      const auto writer,
      BackupWriter::open(job.folder, job.key, job.full ? BackupWriter::Extent::kEverything : BackupWriter::Extent::kWhatIsNew));
  BackupReport report;
  Snapshot& snapshot = report.snapshot;
  snapshot.ladder = job.version;
  snapshot.made_at = now;
  report.clock_was_behind = writer->clock_is_behind(now);
  const auto take = [&](std::string_view part, std::string_view bytes) -> Status {
    snapshot.add(part, {});
    LADDER_CHECK(writer->keep(bytes));
    return did(std::ssize(bytes));
  };
  LADDER_TRY(snapshot.info, store::back_up(job.location, take));
  LADDER_TRY(const auto kept, writer->kept());
  snapshot.locate_chunks(kept);
  LADDER_TRY(report.name, writer->finish(snapshot));
  report.bytes_written = writer->bytes_written();
  // Settings displays this time; the backup is valid without it.
  std::error_code ignored;
  report.noted = store::record_backup(job.location, {snapshot.made_at, std::filesystem::absolute(job.folder, ignored).string(),
                                                     snapshot.bytes(), !job.key.empty()});
  if (job.keep > 0) {
    auto removed = writer->prune(job.keep);
    if (removed) report.bytes_removed = *removed;
    else report.pruned = std::unexpected(std::move(removed).error());
  }
  return report;
}

}  // namespace ladder::app
