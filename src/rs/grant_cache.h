// Parsed grants by their number. A grant's body never changes, so a cached one is never stale; whether the grant still stands is
// read from the store each time (design D16). Bounded; safe from any thread.
#pragma once

#include "base/mutex.h"
#include "base/result.h"
#include "rs/access.h"

#include <cstddef>
#include <deque>
#include <memory>
#include <string_view>
#include <unordered_map>

namespace ladder::rs {

class GrantCache {
 public:
  static constexpr std::size_t kMostGrants = 4096;  // a few KB each; the oldest go first

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

}  // namespace ladder::rs
