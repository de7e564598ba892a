// The rows that a search reads, as an engine provides them, all from one view of the store. Every method takes what it is asked
// for in a batch, so that an engine with a round trip per question needs one.
#pragma once

#include "store/postings/posting_store.h"
#include "store/search/row_words.h"
#include "store/word_search.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace ladder::store {

// The meaning of a block of numbers. Both kinds are handed out from one counter, so that no number means two things in the word
// index.
enum class NumberKind : std::int64_t { kRecords = 0, kTexts = 1 };

// Numbers of one scope.
struct ScopeBlock {
  std::int64_t first = 0;
  std::int64_t end = 0;
  std::uint32_t scope = 0;  // in WordSearch::scopes
};

using SharedTexts = std::map<TextNo, RecordNo>;  // numbers of records that have more than one

struct RecordPlace {
  std::optional<Instant> time;
  std::string key;
};

struct FoundRecord {
  RecordRow record;
  std::optional<Instant> time;
  bool several = false;  // rows of the index
};

class SearchRows {
 public:
  virtual ~SearchRows() = default;

  virtual PostingSource& postings() = 0;
  virtual Result<std::vector<ScopeBlock>> blocks(std::span<const WordScope> scopes, NumberKind kind) = 0;
  virtual Result<std::int64_t> records_of(std::span<const StreamNo> streams) = 0;  // how many there are in all
  // The records of the scope's stretch, or of its keys; `limit` at most.
  virtual Result<std::vector<RecordNo>> numbers_in(const WordScope& scope, std::int64_t limit) = 0;
  virtual Result<std::vector<RecordNo>> numbers_of_keys(const WordScope& scope) = 0;
  virtual Result<SharedTexts> shared_texts() = 0;
  virtual Result<std::vector<std::pair<RecordNo, TextNo>>> texts_of(std::span<const RecordNo> records) = 0;  // in no order

  // One answer for each number. 0, or none: there is no such row.
  virtual Result<std::vector<RecordNo>> records_of_texts(std::span<const TextNo> texts) = 0;
  virtual Result<std::vector<std::optional<Instant>>> times(std::span<const RecordNo> records) = 0;
  virtual Result<std::vector<std::optional<RecordPlace>>> places(std::span<const RecordNo> records) = 0;
  virtual Result<std::vector<std::optional<FoundRecord>>> records(std::span<const RecordNo> records) = 0;
  virtual Result<std::vector<std::optional<WordPassage>>> passages(std::span<const WordRowId> rows) = 0;

  // Calls `use` with the records of the scope's stretch, the newest first, until it returns false; `limit` at most.
  using UseNumber = std::function<Result<bool>(RecordNo number)>;
  virtual Status each_newest(const WordScope& scope, std::int64_t limit, const UseNumber& use) = 0;
};

}  // namespace ladder::store
