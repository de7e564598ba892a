// The invariants of the indexes by value: entries, days and blob references exactly match the records' bodies, and the
// indexes exactly match the declared fields.
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

// Checks records one by one: looks up and counts what each should have in the indexes. Equal counts at the end prove
// that there is nothing else.
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

// The invariants of the word index: it matches tokenizing every text again, and columns, texts and passages belong to
// the rows that refer to them.

// Checks records one by one: adds up the expected words for each row of the index and compares them at the end.
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
  Status short_rows(const WordSource& record, TextNo text, std::span<const ShortPassage> passages);
  Status long_text(const WordSource& record, const SearchedText& text);
  Status loose_texts();
  Result<bool> awaits_sweep(WordRowId row);
  Status compare();
  Result<std::vector<StoredPassage>> passages_of(const WordSource& record, ValueId value);

  Connection& connection_;
  Fault fault_;
  std::map<StreamNo, StreamWords> streams_;
  std::set<StreamNo> unready_;  // streams whose records may lack words
  PostingCheck index_;
  std::int64_t passages_ = 0;  // passages that belong to a text
};

}  // namespace ladder::store::sqlite
