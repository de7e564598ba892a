#include "store/postgres/standing.h"

#include "store/postgres/postgres_store.h"

#include <functional>

namespace ladder::store::postgres {
namespace {

constexpr Statement kFindStanding{"SELECT " LADDER_PG_STANDING_COLUMNS " FROM " LADDER_PG_STANDING_JOINS};

}  // namespace

FoundStanding read_standing(const Rows& rows, int row) {
  FoundStanding found;
  StandingRow& standing = found.standing;
  standing.catalog_version = rows.maybe_int8(row, 0).value_or(-1);
  found.access_version = rows.maybe_int8(row, 1).value_or(-1);
  standing.token_found = !rows.is_null(row, 2);
  standing.token_expires_at = rows.maybe_int8(row, 3);
  standing.token_revoked = !rows.is_null(row, 4);
  standing.grant_found = !rows.is_null(row, 5);
  standing.grant_revoked = !rows.is_null(row, 6);
  return found;
}

std::size_t KnownStandings::Hash::operator()(const Guard& guard) const {
  const std::hash<std::int64_t> hash;
  return hash(guard.owner) * 31 * 31 + hash(guard.token) * 31 + hash(guard.grant);
}

std::optional<FoundStanding> KnownStandings::find(const Guard& guard) const {
  const MutexLock lock(mutex_);
  const auto at = known_.find(guard);
  if (at == known_.end()) return std::nullopt;
  return at->second;
}

void KnownStandings::keep(const Guard& guard, const FoundStanding& found) {
  // What was not found may be made later without a change of access_version: only what is there is known.
  const StandingRow& standing = found.standing;
  if (found.access_version < 0) return;
  if ((guard.token != 0 && !standing.token_found) || (guard.grant != 0 && !standing.grant_found)) return;
  const MutexLock lock(mutex_);
  if (known_.size() >= kMost) known_.clear();
  known_[guard] = found;
}

Result<StandingRow> PostgresStore::standing(const Guard& guard) {
  return pool_.run([&](Connection& connection) -> Result<StandingRow> {
    LADDER_TRY(const Rows rows, connection.run_one(kFindStanding, guard.owner, guard.token, guard.grant));
    const FoundStanding found = read_standing(rows, 0);
    known_standings_.keep(guard, found);
    return found.standing;
  });
}

}  // namespace ladder::store::postgres
