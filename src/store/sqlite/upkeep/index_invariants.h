// The part of the invariants about what finds records by value: entries, days and blob references are exactly those that the
// records' bodies ask for, and indexes are exactly those that the fields ask for.
#pragma once

#include "store/index/field_index.h"
#include "store/postings/index_check.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/search/word_writer.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

// Records are shown one after the other; what they ask for is looked up and counted, so that in the end equal counts mean that
// nothing else is there.
class IndexCheck {
 public:
  using Fault = std::function<void(std::string sentence)>;

  IndexCheck(Connection& connection, Fault fault) : connection_(connection), fault_(std::move(fault)) {}

  Status start();
  Status record(RecordNo no, StreamNo stream, std::string_view key, std::string_view order_key, std::string_view body);
  Status finish();

 private:
  Status none(const char* sql, std::string_view fault);
  Status entry(RecordNo no, const IndexEntry& entry);
  Status blob(RecordNo no, const Digest& digest);
  Status entry_totals();
  Status days();
  Status blob_totals();

  Connection& connection_;
  Fault fault_;
  std::map<StreamNo, std::vector<IndexSpec>> indexes_;
  std::map<IndexNo, std::int64_t> entries_;
  std::map<IndexDay, std::int64_t> days_;
  std::int64_t blobs_ = 0;
};

// The part of the invariants about words: what the index has is exactly what tokenising every text again gives, and columns,
// texts and passages belong to those who point at them.

// Records are shown one after the other; what they ask for is added up per row of the index, and compared with it in the end.
class WordCheck {
 public:
  using Fault = std::function<void(std::string sentence)>;

  WordCheck(Connection& connection, Fault fault) : connection_(connection), fault_(fault), index_(std::move(fault)) {}

  Status start();
  Status record(const WordSource& record, StreamNo stream, const WordState& state);
  Status finish();

 private:
  struct StoredPassage {
    WordRowId row = 0;
    std::int64_t start = 0, end = 0;
  };
  Status none(const char* sql, std::string_view fault);
  Status columns();
  Status texts();
  Status numbers();
  Status short_rows(const WordSource& record, TextNo text, std::span<const ShortPassage> passages);
  Status long_text(const WordSource& record, const SearchedText& text);
  Status loose_texts();
  Result<bool> is_left_to_sweep(WordRowId row);
  Status compare();
  Result<std::vector<StoredPassage>> passages_of(const WordSource& record, ValueId value);

  Connection& connection_;
  Fault fault_;
  std::map<StreamNo, StreamWords> streams_;
  std::set<StreamNo> unready_;  // those whose records need not have all words yet
  PostingCheck index_;
  std::int64_t passages_ = 0;  // that somebody has
};

}  // namespace ladder::store::sqlite
