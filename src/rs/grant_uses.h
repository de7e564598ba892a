// Which grants were used since that was last written down. Noting is cheap and in memory; whoever keeps the store writes it now
// and then, a grant at most once an hour. Bounded; safe from any thread.
#pragma once

#include "base/mutex.h"
#include "base/time.h"
#include "rs/access.h"
#include "store/rows.h"

#include <cstddef>
#include <map>
#include <vector>

namespace ladder::rs {

class GrantUses {
 public:
  static constexpr Instant kStep = store::kGrantUseStep;  // between two writes for one grant, and how exact the time is

  void note(const Access& access, Instant now);
  // Those that were used and not written for an hour; counts them as written.
  std::vector<store::GrantUse> take(Instant now);
  void give_back(const std::vector<store::GrantUse>& uses);  // writing failed

 private:
  static constexpr std::size_t kMost = 65536;  // grants; past it all are forgotten, and written anew when they are used

  struct Use {
    Instant last = 0;
    Instant written = 0;  // 0: not by this process
  };
  Mutex mutex_;
  std::map<store::GrantNo, Use> uses_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::rs
