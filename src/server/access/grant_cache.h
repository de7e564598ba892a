// Caches parsed grants by number. A grant's body never changes, so entries are never stale; its validity is read from
// the store each time (design D16). Bounded and thread-safe.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "store/rows/rows.h"

#include <atomic>
#include <cstddef>
#include <deque>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ladder::server {

class GrantCache {
 public:
  static constexpr std::size_t kMaxGrants = 4096;  // a few KB each; the oldest are evicted first

  // Returns the parsed grant of the row. kGrantInvalid if this program does not understand its body.
  Result<std::shared_ptr<const HeldGrant>> get(const store::GrantRow& row);
  // Stops reads in progress under this grant, whatever the store's state.
  void refuse(std::string_view subject, std::string_view grant_id);

 private:
  std::shared_ptr<const HeldGrant> find(store::GrantNo no);

  Mutex mutex_;
  std::unordered_map<store::GrantNo, std::shared_ptr<const HeldGrant>> cached_ LADDER_GUARDED_BY(mutex_);
  std::deque<store::GrantNo> order_ LADDER_GUARDED_BY(mutex_);
};

// Records which grants were used since the last write. note() only updates memory; a background task writes each
// grant at most once an hour. Bounded and thread-safe.
class GrantUses {
 public:
  static constexpr Instant kStep =
      store::kGrantUseStep;  // minimum time between two writes for a grant, and the precision of the timestamp

  void note(const Access& access, Instant now);
  // Returns the grants that were used and not written for an hour, and marks them as written.
  std::vector<store::GrantUse> take(Instant now);
  void restore(const std::vector<store::GrantUse>& uses);  // called if the write failed

 private:
  static constexpr std::size_t kMax = 65536;  // grants; when full, the map is cleared and uses are written again

  struct Use {
    Instant last = 0;
    Instant written = 0;  // 0: not by this process
    store::OwnerNo owner = 0;
  };
  Mutex mutex_;
  std::map<store::GrantNo, Use> uses_ LADDER_GUARDED_BY(mutex_);
};

// Revoked grants whose revocation is not yet in the store. They are refused from memory until it is written.
// Thread-safe.
class Revocations {
 public:
  struct Pending {
    store::OwnerNo owner = 0;
    std::string grant_id;
    Instant at = 0;  // when the owner revoked it
  };

  Instant add(store::OwnerNo owner, std::string_view grant_id, Instant now);  // returns when it was first revoked
  void remove(store::OwnerNo owner, std::string_view grant_id);  // the revocation was written, or the grant does not exist
  void apply(store::GrantRow& row) const;                        // marks the row as revoked
  bool has(store::OwnerNo owner, std::string_view grant_id) const;
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  std::vector<Pending> all() const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<store::OwnerNo, std::string>, Instant> pending_ LADDER_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace ladder::server
