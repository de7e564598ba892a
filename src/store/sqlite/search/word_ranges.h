// The numbers that a search may see: blocks of the granted streams, each with its scope, and the few ranges of row ids that a
// query walks to reach them. Of a stream of which a time range or a few keys are granted, the blocks
// are the runs of those numbers, so that words outside are passed over before anything is read or looked up for them.
#pragma once

#include "store/sqlite/engine/numbers.h"
#include "store/sqlite/search/word_rows.h"
#include "store/word_search.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace ladder::store::sqlite {

struct ScopeBlock {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::uint32_t scope = 0;  // in WordSearch::scopes
};

// Blocks of all scopes, ascending.
Result<std::vector<ScopeBlock>> scope_blocks(Connection& connection, std::span<const WordScope> scopes, NumberKind kind);

// Ascending ranges that cover the blocks. Neighbors are one range, and so are those with the least between them, until there are
// few. Rows between them are walked and not looked at.
std::vector<RowRange> row_ranges(std::span<const ScopeBlock> blocks);

using SharedTexts = std::map<TextNo, RecordNo>;  // numbers of records that have more than one

// All of that for the streams of a search. It holds as long as nobody has committed anything (Connection::LastRead).
struct SearchRanges {
  OwnerNo owner = 0;
  std::int64_t data_version = 0;
  struct Asked {
    StreamNo stream = 0;
    std::optional<WordStretch> stretch;
    std::vector<std::string> keys;

    friend bool operator==(const Asked&, const Asked&) = default;
  };
  std::vector<Asked> asked;
  std::vector<ScopeBlock> record_blocks, text_blocks;
  std::vector<RowRange> record_rows, text_rows;
  SharedTexts shared;

  // How many records have a term, as searches counted it; by the term, its forms and the columns where it counts. The connection
  // is one thread's at a time, and so is this.
  struct TermCount {
    std::int64_t records = 0;   // up to kCountedRecords
    std::uint32_t phrases = 0;  // the forms that were met, a bit each, when there are fewer records
  };
  mutable std::map<std::string, TermCount> counts = {};

  // Time and key of records that searches had to tell apart from others with the same score.
  struct Place {
    std::optional<Instant> time;
    std::string key;
  };
  mutable std::unordered_map<RecordNo, Place> places = {};
};
inline constexpr std::size_t kMaxKeptCounts = 1'000;
inline constexpr std::size_t kMaxKeptPlaces = 8'192;

// The records of a scope of which a part is granted; nothing when it is all of the stream, or too many to be listed.
Result<std::optional<std::vector<RecordNo>>> granted_numbers(Connection& connection, const WordScope& scope);

// Kept from the search before, if that asked for the same at the same version; without a version nothing is kept.
Result<std::shared_ptr<const SearchRanges>> search_ranges(Connection& connection, std::span<const WordScope> scopes,
                                                          std::optional<std::int64_t> data_version);

// Finds the block of one number after the other; quick when they ascend.
class BlockFinder {
 public:
  explicit BlockFinder(std::span<const ScopeBlock> blocks) : blocks_(blocks) {}
  const ScopeBlock* find(std::int64_t number);  // null: no scope has it

 private:
  std::span<const ScopeBlock> blocks_;
  std::size_t at_ = 0;
};

}  // namespace ladder::store::sqlite
