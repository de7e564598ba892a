// Caches facts of streams that searches need and that hardly change: whose a stream is and, as long as nothing is written to the
// streams of a search, where their records are in the word index, and what searches found out about them. Kept in the process.
// Safe to use from any thread.
#pragma once

#include "base/mutex.h"
#include "store/postgres/engine/connection.h"
#include "store/search/search_ranges.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

// The row of a stream, as far as a search needs it. It changes with every write to the stream's words.
struct StreamFacts {
  StreamNo no = 0;
  std::int64_t records = 0, max_version = 0, word_generation = 0;
  std::uint32_t written_by = 0;  // the transaction

  friend bool operator==(const StreamFacts&, const StreamFacts&) = default;
};

class KnownStreams {
 public:
  // The owner of each scope's stream; 0: there is no such stream.
  Result<std::vector<OwnerNo>> owners(Connection& connection, std::span<const WordScope> scopes);

  // The ranges that were kept for these scopes while their streams were the same; null: none.
  std::shared_ptr<const SearchRanges> ranges(std::span<const WordScope> scopes, const std::vector<StreamFacts>& facts);
  void keep_ranges(const std::vector<StreamFacts>& facts, std::shared_ptr<const SearchRanges> ranges);

 private:
  static constexpr std::size_t kMaxRanges = 64;
  static constexpr std::size_t kMaxShared = 1'024;  // texts of ranges that are kept

  struct Kept {
    std::vector<StreamFacts> facts;
    std::shared_ptr<const SearchRanges> ranges;
  };

  Mutex mutex_;
  std::unordered_map<StreamNo, OwnerNo> owners_ LADDER_GUARDED_BY(mutex_);
  std::list<Kept> ranges_ LADDER_GUARDED_BY(mutex_);  // the one that was used last in front
};

}  // namespace ladder::store::postgres
