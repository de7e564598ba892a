// Says whether the word index is exactly what the records' texts make it. Fed with all records in turn, some at a time; cuts
// again what each of them has in the index, adds it up per row, and compares it with the segments in the end.
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

  Status rules();  // those between the tables
  Status load();   // which stream has which columns
  Status expect(const WordSource& record, StreamNo stream, const WordState& state);
  Status look();    // for what was expected since the last time
  Status finish();  // when all records have been seen

 private:
  struct StoredPassage {
    WordRowId row = 0;
    ValueId value = 0;
    int column = 0;
    std::int64_t start = 0, end = 0;
  };
  struct Several {
    RecordNo record = 0;
    TextNo text = 0;
    std::vector<SearchedText> texts;
  };

  Status look_at(const Several& several, std::span<const StoredPassage> stored);
  Status compare_long(const Several& several, const SearchedText& text, std::span<const StoredPassage> stored);
  Status loose_texts();

  Connection& connection_;
  Fault fault_;
  std::unordered_map<StreamNo, StreamWords> streams_;
  std::vector<Several> several_;
  PostingCheck index_;
  std::int64_t passages_ = 0;  // that a text has
};

}  // namespace ladder::store::postgres
