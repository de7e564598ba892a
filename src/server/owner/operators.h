// The operations of the person who runs a store with many owners. They see names, dates, counts and limits, and no way leads from
// here to a record. Any process that can open the store may use them; no network interface offers them. Thread-safe.
#pragma once

#include "base/error/error.h"
#include "server/owner/erasures.h"
#include "server/shared/shared_state.h"
#include "store/store.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::server {

struct OwnerSummary {
  std::string name;
  Instant created_at = 0;
  std::optional<Instant> suspended_at;
  store::OwnerLimits limits;
  std::int64_t records = 0;
};

struct OwnerDeletion {
  std::int64_t records = 0;
  std::int64_t tables = 0;       // that were checked afterwards: none has a row of the owner
  std::int64_t bytes_freed = 0;  // returned to the file system
  std::string space_kept;        // why no space was returned; empty if it was
  bool swept = false;            // no deleted byte remains in the files; otherwise a later sweep removes them
};

// The access of an owner, for moving it to another store: active grants, and valid tokens as their hashes.
struct OwnerAccess {
  std::vector<store::NewGrant> grants;
  std::vector<store::BoundTokenRow> tokens;
};

class Operators {
 public:
  explicit Operators(SharedState& shared) : shared_(shared) {}

  Result<std::vector<OwnerSummary>> list();
  Result<OwnerSummary> find(std::string_view name);  // kNotFound, without the names of other owners
  Result<OwnerSummary> add(std::string_view name);   // kConflict if the owner exists; kInvalidRequest for a name that is too long
  // Ends all access to the owner's data: requests with tokens, the console, imports and syncs are refused from the next read or
  // write on, in every process. Nothing is deleted or revoked.
  Status suspend(std::string_view name);
  Status resume(std::string_view name);
  Status set_limits(std::string_view name, const store::OwnerLimits& limits);
  Result<store::OwnerUsage> usage(std::string_view name);
  // Suspends the owner, deletes everything that the store has of it, and checks that no table has a row of it. kCancelled if the
  // observer stops it; the same call continues.
  Result<OwnerDeletion> erase(std::string_view name, ErasureObserver& observer);

  // For a move: the number of records and the newest version of each stream, by connection id and stream, without connections
  // that are being erased.
  using StreamStates = std::map<std::pair<std::string, std::string>, std::pair<std::int64_t, std::int64_t>>;
  Result<StreamStates> stream_states(const Access& owner);
  Result<OwnerAccess> access_of(std::string_view name);
  Status add_access(std::string_view name, const OwnerAccess& access);

 private:
  Result<store::OwnerRow> row_of(std::string_view name);
  Result<OwnerSummary> summary(const store::OwnerRow& row);

  SharedState& shared_;
};

}  // namespace ladder::server
