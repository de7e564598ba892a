// Parsed grants by their number. A grant's body never changes, so a cached one is never stale; whether the grant still stands is
// read from the store each time (design D16). Bounded; safe from any thread.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "base/time/time.h"
#include "server/access/access.h"
#include "store/rows.h"

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
  static constexpr std::size_t kMaxGrants = 4096;  // a few KB each; the oldest go first

  // The parsed grant of the row. kGrantInvalid when its body is not a grant this program understands.
  Result<std::shared_ptr<const HeldGrant>> get(const store::GrantRow& row);
  // Reads under way stop, whatever the store says of it.
  void refuse(std::string_view subject, std::string_view grant_id);

 private:
  std::shared_ptr<const HeldGrant> find(store::GrantNo no);

  Mutex mutex_;
  std::unordered_map<store::GrantNo, std::shared_ptr<const HeldGrant>> cached_ LADDER_GUARDED_BY(mutex_);
  std::deque<store::GrantNo> order_ LADDER_GUARDED_BY(mutex_);
};

// The grants that were used since that was last written down. Noting is cheap and in memory; whoever keeps the store writes it
// now and then, a grant at most once an hour. Bounded; safe from any thread.
class GrantUses {
 public:
  static constexpr Instant kStep = store::kGrantUseStep;  // between two writes for one grant, and how exact the time is

  void note(const Access& access, Instant now);
  // Takes the grants that were used and not written for an hour; counts them as written.
  std::vector<store::GrantUse> take(Instant now);
  void give_back(const std::vector<store::GrantUse>& uses);  // writing failed

 private:
  static constexpr std::size_t kMax = 65536;  // grants; past it all are forgotten, and written anew when they are used

  struct Use {
    Instant last = 0;
    Instant written = 0;  // 0: not by this process
  };
  Mutex mutex_;
  std::map<store::GrantNo, Use> uses_ LADDER_GUARDED_BY(mutex_);
};

// Grants that the owner has ended and whose end is not in the store yet: refused from memory until it is written. Safe from any
// thread.
class Revocations {
 public:
  struct Pending {
    store::OwnerNo owner = 0;
    std::string grant_id;
    Instant at = 0;  // when the owner said so
  };

  Instant add(store::OwnerNo owner, std::string_view grant_id, Instant now);  // when it was said first
  void remove(store::OwnerNo owner, std::string_view grant_id);               // written, or there is no such grant
  void apply(store::GrantRow& row) const;                                     // as if it were written
  bool has(store::OwnerNo owner, std::string_view grant_id) const;
  bool empty() const { return count_.load(std::memory_order_relaxed) == 0; }
  std::vector<Pending> all() const;

 private:
  mutable Mutex mutex_;
  std::map<std::pair<store::OwnerNo, std::string>, Instant> pending_ LADDER_GUARDED_BY(mutex_);
  std::atomic<std::size_t> count_ = 0;
};

}  // namespace ladder::server
