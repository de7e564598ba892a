#include "store/postgres/engine/access_status.h"

#include "store/postgres/engine/postgres_store.h"

#include <functional>

namespace ladder::store::postgres {
namespace {

constexpr Statement kFindAccessStatus{"SELECT " LADDER_PG_ACCESS_STATUS_COLUMNS " FROM " LADDER_PG_ACCESS_STATUS_JOINS};

}  // namespace

Result<AccessStatusRow> PostgresStore::access_status(const Guard& guard) {
  return pool_.read(guard.owner, [&](Connection& connection) -> Result<AccessStatusRow> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindAccessStatus, guard.owner, guard.token, guard.grant));
    const FoundAccessStatus found = read_access_status(rows, 0);
    access_status_cache_.keep(guard, found);
    return found.access_status;
  });
}

FoundAccessStatus read_access_status(const Rows& rows, int row) {
  FoundAccessStatus found;
  AccessStatusRow& access_status = found.access_status;
  access_status.catalog_version = rows.maybe_int8(row, 0).value_or(-1);
  found.access_version = rows.maybe_int8(row, 1).value_or(-1);
  access_status.token_found = !rows.is_null(row, 2);
  access_status.token_expires_at = rows.maybe_int8(row, 3);
  access_status.token_revoked = !rows.is_null(row, 4);
  access_status.grant_found = !rows.is_null(row, 5);
  access_status.grant_revoked = !rows.is_null(row, 6);
  access_status.owner_suspended = !rows.is_null(row, 7);
  return found;
}

std::size_t AccessStatusCache::Hash::operator()(const Guard& guard) const {
  const std::hash<std::int64_t> hash;
  return hash(guard.owner) * 31 * 31 + hash(guard.token) * 31 + hash(guard.grant);
}

std::optional<FoundAccessStatus> AccessStatusCache::find(const Guard& guard) const {
  const MutexLock lock(mutex_);
  const auto at = known_.find(guard);
  if (at == known_.end()) return std::nullopt;
  return at->second;
}

void AccessStatusCache::keep(const Guard& guard, const FoundAccessStatus& found) {
  // Only existing rows are cached: a missing row may be inserted without a change of access_version.
  const AccessStatusRow& access_status = found.access_status;
  if (found.access_version < 0) return;
  if ((guard.token != 0 && !access_status.token_found) || (guard.grant != 0 && !access_status.grant_found)) return;
  const MutexLock lock(mutex_);
  if (known_.size() >= kMax) known_.clear();
  known_[guard] = found;
}

}  // namespace ladder::store::postgres
