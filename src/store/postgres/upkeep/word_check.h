// Checks that the word index exactly matches the texts of the records. It receives all records in batches, cuts their
// texts again, adds up the expected words per row, and compares them with the segments at the end.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/postings/index_check.h"
#include "store/search/row_words.h"

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

class WordCheck {
 public:
  using Fault = std::function<void(std::string sentence)>;
  WordCheck(Connection& connection, Fault fault) : connection_(connection), fault_(fault), index_(std::move(fault)) {}

  Status rules();  // checks the rules between the tables
  Status load();   // reads the word columns of all streams
  Status expect(const WordSource& record, StreamNo stream, const WordState& state);
  Status look_up();  // looks up the rows expected since the last call
  Status finish();   // called after all records

 private:
  struct StoredPassage {
    WordRowId row = 0;
    ValueId value = 0;
    int column = 0;
    std::int64_t start = 0, end = 0;
  };
  struct PendingRecord {
    RecordNo record = 0;
    TextNo text = 0;
    std::vector<SearchedText> texts;
  };

  Status check_pending(const PendingRecord& pending, std::span<const StoredPassage> stored);
  Status compare_long(const PendingRecord& pending, const SearchedText& text, std::span<const StoredPassage> stored);
  Status loose_texts();

  Connection& connection_;
  Fault fault_;
  std::unordered_map<StreamNo, StreamWords> streams_;
  std::vector<PendingRecord> pending_;
  PostingCheck index_;
  std::int64_t passages_ = 0;  // passages that belong to a text
};

}  // namespace ladder::store::postgres
