// Caches facts of streams and owners that searches need and that hardly change: whose a stream is, and about how many records an
// owner has. Kept in the process. Safe to use from any thread.
#pragma once

#include "base/mutex.h"
#include "store/postgres/engine/connection.h"
#include "store/word_search.h"

#include <chrono>
#include <span>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

class KnownStreams {
 public:
  // The owner of each scope's stream; 0: there is no such stream.
  Result<std::vector<OwnerNo>> owners(Connection& connection, std::span<const WordScope> scopes);
  // Of all the owner's streams together, as of a minute ago or less: for estimates.
  Result<std::int64_t> records(Connection& connection, OwnerNo owner);

 private:
  struct Size {
    std::int64_t records = 0;
    std::chrono::steady_clock::time_point at;
  };

  Mutex mutex_;
  std::unordered_map<StreamNo, OwnerNo> owners_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<OwnerNo, Size> sizes_ LADDER_GUARDED_BY(mutex_);
};

}  // namespace ladder::store::postgres
