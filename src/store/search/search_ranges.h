// The record and text numbers that a search may see: blocks of the granted streams, each with its scope, and the few
// ranges of row ids that a query walks to reach them. If only a time range or a few keys of a stream are granted, the
// blocks are the runs of those numbers, so that other words are skipped before anything is read or looked up for them.
#pragma once

#include "base/mutex.h"
#include "store/postings/posting_block.h"
#include "store/rows/word_search.h"
#include "store/search/search_rows.h"
#include "store/search/top_hits.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ladder::store {

// Returns ascending ranges that cover the blocks. Adjacent blocks share a range, and the smallest gaps are closed until
// there are few ranges. Rows in closed gaps are walked but ignored.
std::vector<RowRange> row_ranges(std::span<const ScopeBlock> blocks);

// The number of records that have a term.
struct TermCount {
  std::int64_t records = 0;             // up to kCountedRecords
  std::vector<std::string> forms = {};  // those that occur, when there are fewer records
};

// Caches results of searches about the records of their ranges. It is cleared completely when it gets large.
// Thread-safe.
class SearchCache {
 public:
  // Keyed by the term, its forms and the columns where it counts.
  std::optional<TermCount> count(const std::string& key) const;
  void put_count(const std::string& key, const TermCount& count);
  // Time and key of records, used to order records with the same score.
  std::optional<RecordSortKey> sort_key(RecordNo record) const;
  void put_sort_key(RecordNo record, const RecordSortKey& sort_key);
  // The parts of a record that rank it in the head of a search, as read under a key (WordScope::reading_key).
  struct HeadRecord {
    RecordSortKey sort_key;
    std::shared_ptr<const TopHitText> text;
  };
  std::optional<HeadRecord> head_record(RecordNo record, std::uint64_t reading_key) const;
  void put_head_record(RecordNo record, std::uint64_t reading_key, HeadRecord head_record);
  // Words that no segment contains. Most forms of a word are absent, and looking up an absent word costs as much as a present
  // one.
  void drop_absent(std::vector<std::string>& words) const;
  void put_absent(const std::vector<std::string>& words);

 private:
  mutable Mutex mutex_;
  std::map<std::string, TermCount> counts_ LADDER_GUARDED_BY(mutex_);
  std::unordered_map<RecordNo, RecordSortKey> sort_keys_ LADDER_GUARDED_BY(mutex_);
  std::map<std::pair<RecordNo, std::uint64_t>, HeadRecord> head_records_ LADDER_GUARDED_BY(mutex_);
  std::size_t head_words_ LADDER_GUARDED_BY(mutex_) = 0;  // of all head records
  std::unordered_set<std::string> absent_ LADDER_GUARDED_BY(mutex_);
};

// The ranges for the streams of a search. Valid until something is committed to these streams.
struct SearchRanges {
  struct ScopeKey {
    StreamNo stream = 0;
    std::optional<IndexInterval> interval;
    std::vector<std::string> keys;

    friend bool operator==(const ScopeKey&, const ScopeKey&) = default;
  };
  std::vector<ScopeKey> scope_keys;
  std::vector<ScopeBlock> record_blocks, text_blocks;  // ascending
  std::vector<RowRange> record_rows, text_rows;
  SharedTexts shared;
  mutable SearchCache cache = {};

  bool is_for(std::span<const WordScope> scopes) const;
};

Result<std::shared_ptr<const SearchRanges>> make_search_ranges(SearchRows& rows, std::span<const WordScope> scopes);

// Finds the block of a number; fast for ascending numbers.
class BlockFinder {
 public:
  explicit BlockFinder(std::span<const ScopeBlock> blocks) : blocks_(blocks) {}
  const ScopeBlock* find(std::int64_t number);  // null: the number is in no scope

 private:
  std::span<const ScopeBlock> blocks_;
  std::size_t at_ = 0;
};

}  // namespace ladder::store
