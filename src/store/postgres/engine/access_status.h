// The access status of an owner, a token and a grant, read with one statement and cached. A cached status is valid as
// long as the owner's access_version, which every read checks. So a read with a current cached status skips two lookups
// and still sees a revocation at once (design D16).
#pragma once

#include "base/mutex.h"
#include "store/postgres/engine/connection.h"
#include "store/rows/rows.h"

#include <cstdint>
#include <optional>
#include <unordered_map>

namespace ladder::store::postgres {

// The columns and joins of an access status, for statements whose parameters start with owner, token and grant.
#define LADDER_PG_ACCESS_STATUS_COLUMNS \
  "o.catalog_version, o.access_version, t.token_no, t.expires_at, t.revoked_at, g.grant_no, g.revoked_at, o.suspended_at"
#define LADDER_PG_ACCESS_STATUS_JOINS                                          \
  "(SELECT 1) AS one LEFT JOIN owners o ON o.owner_no = $1::bigint"            \
  " LEFT JOIN tokens t ON t.owner_no = $1::bigint AND t.token_no = $2::bigint" \
  " LEFT JOIN grants g ON g.owner_no = $1::bigint AND g.grant_no = $3::bigint"
inline constexpr int kAccessStatusColumns = 8;

struct FoundAccessStatus {
  AccessStatusRow access_status;
  std::int64_t access_version = -1;  // -1 when there is no such owner
};
FoundAccessStatus read_access_status(const Rows& rows, int row);

// Thread-safe.
class AccessStatusCache {
 public:
  std::optional<FoundAccessStatus> find(const Guard& guard) const;
  void keep(const Guard& guard, const FoundAccessStatus& found);

 private:
  static constexpr std::size_t kMax = 4096;  // guards in use at a time by one process; the cache is cleared when it is full

  struct Hash {
    std::size_t operator()(const Guard& guard) const;
  };
  struct Equal {
    bool operator()(const Guard& a, const Guard& b) const {
      return a.owner == b.owner && a.token == b.token && a.grant == b.grant;
    }
  };

  mutable Mutex mutex_;
  std::unordered_map<Guard, FoundAccessStatus, Hash, Equal> known_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::store::postgres
