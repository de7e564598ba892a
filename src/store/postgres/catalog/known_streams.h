// Caches facts of streams and owners that searches need and that hardly change: whose a stream is, about how many records an
// owner has, and how many records have a word as long as nobody writes. Kept in the process. Safe to use from any thread.
#pragma once

#include "base/mutex.h"
#include "store/postgres/engine/connection.h"
#include "store/word_search.h"

#include <chrono>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

class KnownStreams {
 public:
  // The owner of each scope's stream; 0: there is no such stream.
  Result<std::vector<OwnerNo>> owners(Connection& connection, std::span<const WordScope> scopes);
  // Of all the owner's streams together, as of a minute ago or less: for estimates.
  Result<std::int64_t> records(Connection& connection, OwnerNo owner);

  // The count that was kept under a key, which tells what was counted and the state of the streams at that time.
  std::optional<std::int64_t> count(const std::string& key);
  void keep_count(std::string key, std::int64_t count);

  // The state of some streams that a search has seen last: likely the present one. Empty: none.
  std::string last_state(const std::string& streams);
  void keep_state(const std::string& streams, const std::string& state);

 private:
  static constexpr std::size_t kMaxCountBytes = 4 << 20;  // of keys; with more, all are forgotten
  static constexpr std::size_t kMaxStates = 64;           // likewise

  struct Size {
    std::int64_t records = 0;
    std::chrono::steady_clock::time_point at;
  };

  Mutex mutex_;
  std::unordered_map<StreamNo, OwnerNo> owners_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<OwnerNo, Size> sizes_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::int64_t> counts_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::string> states_ LADDER_GUARDED_BY(mutex_);  // by streams
  std::size_t count_bytes_ LADDER_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder::store::postgres
