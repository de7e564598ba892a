// The numbers that a search may see: blocks of the granted streams, each with its scope, and the few ranges of row ids that a
// query walks to reach them. Of a stream of which a time range or a few keys are granted, the blocks
// are the runs of those numbers, so that words outside are passed over before anything is read or looked up for them.
#pragma once

#include "base/mutex.h"
#include "store/postings/posting_block.h"
#include "store/search/search_rows.h"
#include "store/word_search.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ladder::store {

// Ascending ranges that cover the blocks. Neighbors are one range, and so are those with the least between them, until there are
// few. Rows between them are walked and not looked at.
std::vector<RowRange> row_ranges(std::span<const ScopeBlock> blocks);

// How many records have a term.
struct TermCount {
  std::int64_t records = 0;   // up to kCountedRecords
  std::uint32_t phrases = 0;  // the forms that were met, a bit each, when there are fewer records
};

// Keeps what searches found out about the records of their ranges. It is forgotten as a whole when there is much of it. Safe to
// use from any thread.
class SearchMemory {
 public:
  // By the term, its forms and the columns where it counts.
  std::optional<TermCount> count(const std::string& key) const;
  void keep_count(const std::string& key, TermCount count);
  // Time and key of records that searches had to tell apart from others with the same score.
  std::optional<RecordPlace> place(RecordNo record) const;
  void keep_place(RecordNo record, const RecordPlace& place);

 private:
  mutable Mutex mutex_;
  std::map<std::string, TermCount> counts_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<RecordNo, RecordPlace> places_ LADDER_GUARDED_BY(mutex_);
};

// All of that for the streams of a search. It holds as long as nothing is committed to them.
struct SearchRanges {
  struct Asked {
    StreamNo stream = 0;
    std::optional<WordStretch> stretch;
    std::vector<std::string> keys;

    friend bool operator==(const Asked&, const Asked&) = default;
  };
  std::vector<Asked> asked;
  std::vector<ScopeBlock> record_blocks, text_blocks;  // ascending
  std::vector<RowRange> record_rows, text_rows;
  SharedTexts shared;
  mutable SearchMemory memory = {};

  bool is_for(std::span<const WordScope> scopes) const;
};

Result<std::shared_ptr<const SearchRanges>> make_search_ranges(SearchRows& rows, std::span<const WordScope> scopes);

// Finds the block of one number after the other; quick when they ascend.
class BlockFinder {
 public:
  explicit BlockFinder(std::span<const ScopeBlock> blocks) : blocks_(blocks) {}
  const ScopeBlock* find(std::int64_t number);  // null: no scope has it

 private:
  std::span<const ScopeBlock> blocks_;
  std::size_t at_ = 0;
};

}  // namespace ladder::store
