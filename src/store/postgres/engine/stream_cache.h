// Caches the index ranges of a set of streams for searches, until the words of one of them are written again. The cache
// is per process. Thread-safe.
#pragma once

#include "base/mutex.h"
#include "store/rows/word_search.h"
#include "store/search/search_ranges.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <vector>

namespace ladder::store::postgres {

// The part of a stream's row that a search needs. It changes with every write to the stream's words.
struct StreamStats {
  StreamNo no = 0;
  std::int64_t records = 0, max_version = 0, word_generation = 0;
  std::uint32_t written_by = 0;  // the transaction

  friend bool operator==(const StreamStats&, const StreamStats&) = default;
};

class StreamCache {
 public:
  // The cached ranges for these scopes if their streams have not changed, otherwise null.
  std::shared_ptr<const SearchRanges> ranges(std::span<const WordScope> scopes, const std::vector<StreamStats>& stats);
  void keep_ranges(const std::vector<StreamStats>& stats, std::shared_ptr<const SearchRanges> ranges);

 private:
  static constexpr std::size_t kMaxRanges = 64;
  static constexpr std::size_t kMaxShared = 1'024;  // texts of cached ranges

  struct Kept {
    std::vector<StreamStats> stats;
    std::shared_ptr<const SearchRanges> ranges;
  };

  Mutex mutex_;
  std::list<Kept> ranges_ LADDER_GUARDED_BY(mutex_);  // most recently used first
};

}  // namespace ladder::store::postgres
