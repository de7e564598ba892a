#include "server/owner/maintenance.h"

namespace ladder::server {

Result<store::SweepReport> Maintenance::sweep(Deadline deadline) {
  LADDER_TRY(const store::SweepReport report, shared_.store.sweep(shared_.clock.now(), deadline));
  if (!report.complete) return report;
  LADDER_CHECK(shared_.store.tidy_words(deadline));
  return report;
}

Result<store::SweepReport> Maintenance::sweep(const Access& access, Deadline deadline) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return sweep(deadline);
}

Result<bool> Maintenance::tidy_words(const Access& access, Deadline deadline) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.store.tidy_words(deadline);
}

Result<bool> Maintenance::reindex(Deadline deadline) { return shared_.store.reindex(deadline); }

Result<bool> Maintenance::reindex(const Access& access, Deadline deadline) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.store.reindex(deadline);
}

Status Maintenance::clear_word_index(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.store.clear_word_index();
}

Result<std::int64_t> Maintenance::records_without_words(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return shared_.store.records_without_words();
}

Result<std::optional<store::BackupNote>> Maintenance::last_backup(const Access& access) {
  LADDER_CHECK(shared_.accesses.require_owner(access));
  return store::last_backup(shared_.store);
}

Status Maintenance::check_store() {
  LADDER_CHECK(shared_.store.access_status({}));
  auto described = shared_.store.describe();  // fails if a newer Ladder has migrated the store
  if (described) return {};
  if (described.error().code == Code::kNotSetUp)
    described.error().code = Code::kStoreUnavailable;  // the store was set up when it was opened
  return std::unexpected(std::move(described).error());
}

}  // namespace ladder::server
