// Construction of the resource server, and the operations that belong to no single kind of data.
#include "server/resource_server.h"

#include "server/access/read_scope.h"

#include <chrono>

namespace ladder::server {
namespace {

constexpr auto kEraseSweepTime = std::chrono::seconds(2);  // later sweeps remove the rest

std::vector<crypto::SealKey> seal_keys(const store::Store& store) {
  std::vector<crypto::SealKey> keys;
  for (const store::SealKeyRow& row : store.seal_keys()) keys.push_back({row.id, row.secret});
  return keys;
}

}  // namespace

ResourceServer::ResourceServer(store::Store& store, const Clock& clock, LedgerOptions ledger)
    : store_(store),
      clock_(clock),
      sealer_(seal_keys(store)),
      catalogs_(store),
      ledger_(store, clock, catalogs_, std::move(ledger)) {}

Result<store::SweepReport> ResourceServer::sweep(const Access& access, Deadline deadline) {
  LADDER_CHECK(require_owner(access));
  return store_.sweep(clock_.now(), deadline);
}

Result<bool> ResourceServer::reindex(const Access& access, Deadline deadline) {
  LADDER_CHECK(require_owner(access));
  return store_.reindex(deadline);
}

Status ResourceServer::clear_word_index(const Access& access) {
  LADDER_CHECK(require_owner(access));
  return store_.clear_word_index();
}

Result<std::optional<store::BackupNote>> ResourceServer::last_backup(const Access& access) {
  LADDER_CHECK(require_owner(access));
  return store::last_backup(store_);
}

Status ResourceServer::check_store() {
  LADDER_CHECK(store_.access_status({}));
  auto described = store_.describe();  // fails if a newer Ladder has migrated the store
  if (described) return {};
  if (described.error().code == Code::kNotSetUp)
    described.error().code = Code::kStoreUnavailable;  // the store was set up when it was opened
  return std::unexpected(std::move(described).error());
}

Result<bool> ResourceServer::erase_record(const Access& access, const model::RecordRef& record) {
  LADDER_CHECK(require_owner(access));
  LADDER_TRY(const auto catalog, catalogs_.newest(access.owner()));
  LADDER_TRY(const ReadScope reached, read_scope(access, *catalog, {record.connection_id, {}}, record.stream));
  LADDER_TRY(const ConnectionStream place, only_stream(reached));
  std::vector<store::RecordWrite> erasure(1);
  erasure.front().is_delete = true;
  erasure.front().key = record.record_id;
  erasure.front().emitted_at = format_time(clock_.now());
  LADDER_CHECK(store_.write({access.owner(), place.no, false, {}}, erasure, clock_.now()));
  LADDER_CHECK(ledger_.forget(access.owner(), {place.connection->row.connection_id, place.declared->name, record.record_id}));
  return clear_erasures(access);
}

Result<bool> ResourceServer::clear_erasures(const Access& access) {
  LADDER_TRY(const store::SweepReport report, sweep(access, Deadline::after(kEraseSweepTime)));
  return report.complete;
}

}  // namespace ladder::server
