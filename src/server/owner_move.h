// Moves an owner from one store to another, of either engine. Most of it is copied while the owner is served. Then the owner is
// suspended in the old store, what changed meanwhile is copied again, and the new store takes over with the same tokens.
#pragma once

#include "base/error/error.h"
#include "server/resource_server.h"

#include <chrono>
#include <cstdint>
#include <string_view>

namespace ladder::server {

struct OwnerMove {
  std::int64_t records = 0;       // in the new store
  std::int64_t copied_again = 0;  // records that were read again while the owner was suspended
  std::int64_t blobs = 0, grants = 0, tokens = 0;
  std::chrono::milliseconds copying{}, suspended{};
};

// Receives the progress on the calling thread.
class MoveObserver {
 public:
  virtual ~MoveObserver() = default;
  virtual void copied(std::int64_t /*records*/) {}
  virtual void suspending() {}
  virtual bool wants_stop() { return false; }
};

// The owner must not exist in the new store, or is suspended there because an earlier move was interrupted; kConflict. Afterwards
// the owner is suspended in the old store, which keeps its data until it is deleted there. After a failure the owner has the
// access in the old store that it had before. Does not move sign-in, synced accounts, import reports or the ledger.
Result<OwnerMove> move_owner(ResourceServer& from, ResourceServer& to, std::string_view name, MoveObserver& observer);

}  // namespace ladder::server
