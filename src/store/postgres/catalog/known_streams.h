// Caches facts of streams and owners that searches need and that hardly change: whose a stream is, about how many records an
// owner has, and how many records have a word as long as nobody writes. Kept in the process. Safe to use from any thread.
#pragma once

#include "base/mutex.h"
#include "store/postgres/engine/connection.h"
#include "store/word_search.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

// The row of a stream, as far as a search needs it. It changes with every write to the stream's words.
struct StreamFacts {
  StreamNo no = 0;
  std::int64_t records = 0, max_version = 0, word_generation = 0;
  bool has_texts = false;        // there are records of several rows
  std::uint32_t written_by = 0;  // the transaction

  friend bool operator==(const StreamFacts&, const StreamFacts&) = default;
};

class KnownStreams {
 public:
  // The owner of each scope's stream; 0: there is no such stream.
  Result<std::vector<OwnerNo>> owners(Connection& connection, std::span<const WordScope> scopes);
  // Of all the owner's streams together, as of a minute ago or less: for estimates.
  Result<std::int64_t> records(Connection& connection, OwnerNo owner);

  // The count that was kept under a key, which tells what was counted and the state of the streams at that time.
  std::optional<std::int64_t> count(const std::string& key);
  void keep_count(std::string key, std::int64_t count);

  // The rows of some streams, by number, that a search has seen last: likely the present ones. Empty: none.
  std::vector<StreamFacts> last_facts(const std::string& streams);
  void keep_facts(const std::string& streams, const std::vector<StreamFacts>& facts);

 private:
  static constexpr std::size_t kMaxCountBytes = 4 << 20;  // of keys; with more, all are forgotten
  static constexpr std::size_t kMaxFacts = 64;            // likewise

  struct Size {
    std::int64_t records = 0;
    std::chrono::steady_clock::time_point at;
  };

  Mutex mutex_;
  std::unordered_map<StreamNo, OwnerNo> owners_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<OwnerNo, Size> sizes_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::int64_t> counts_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<std::string, std::vector<StreamFacts>> facts_ LADDER_GUARDED_BY(mutex_);  // by streams
  std::size_t count_bytes_ LADDER_GUARDED_BY(mutex_) = 0;
};

}  // namespace ladder::store::postgres
