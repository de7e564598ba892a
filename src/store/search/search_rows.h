// The rows that a search reads, as an engine provides them, all from one snapshot of the store. Every method takes a
// batch, so that a remote engine needs one round trip.
#pragma once

#include "store/postings/posting_store.h"
#include "store/rows/word_search.h"
#include "store/search/row_words.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store {

// The meaning of a block of numbers. Both kinds are allocated from one counter, so that a number is unique in the word
// index.
enum class NumberKind : std::int64_t { kRecords = 0, kTexts = 1 };

// A block of numbers of one scope.
struct ScopeBlock {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::uint32_t scope = 0;  // index into WordSearch::scopes
};

using SharedTexts = std::map<TextNo, RecordNo>;  // texts of records that have more than one

struct RecordSortKey {
  std::optional<Instant> time;
  std::string key;
};

struct FoundRecord {
  RecordRow record;
  std::optional<Instant> time;
  bool several = false;  // rows in the index
};

class SearchRows {
 public:
  virtual ~SearchRows() = default;

  virtual PostingSource& postings() = 0;
  virtual Result<std::vector<ScopeBlock>> blocks(std::span<const WordScope> scopes, NumberKind kind) = 0;
  virtual Result<std::int64_t> records_of(std::span<const StreamNo> streams) = 0;  // total number of records
  // The records of the scope's interval, or of its keys; at most `limit`.
  virtual Result<std::vector<RecordNo>> numbers_in(const WordScope& scope, std::int64_t limit) = 0;
  virtual Result<std::vector<RecordNo>> numbers_of_keys(const WordScope& scope) = 0;
  virtual Result<SharedTexts> shared_texts() = 0;
  virtual Result<std::vector<std::pair<RecordNo, TextNo>>> texts_of(std::span<const RecordNo> records) = 0;  // in no order

  // Each returns one element per number: 0 or nullopt if there is no such row.
  virtual Result<std::vector<RecordNo>> records_of_texts(std::span<const TextNo> texts) = 0;
  virtual Result<std::vector<std::optional<Instant>>> times(std::span<const RecordNo> records) = 0;
  virtual Result<std::vector<std::optional<RecordSortKey>>> sort_keys(std::span<const RecordNo> records) = 0;
  virtual Result<std::vector<std::optional<FoundRecord>>> records(std::span<const RecordNo> records) = 0;
  virtual Result<std::vector<std::optional<WordPassage>>> passages(std::span<const WordRowId> rows) = 0;

  // Calls `use` with the records of the scope's interval, newest first, until it returns false; at most `limit`.
  using UseNumber = std::function<Result<bool>(RecordNo number)>;
  virtual Status each_newest(const WordScope& scope, std::int64_t limit, const UseNumber& use) = 0;
};

}  // namespace ladder::store
