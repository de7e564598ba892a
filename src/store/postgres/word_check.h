// Whether the word index is exactly what the records' texts make it. Fed with all records in turn, some at a time; tokenises
// again what each of them has in the index and compares, word vector by word vector.
#pragma once

#include "store/postgres/connection.h"
#include "store/postgres/word_columns.h"
#include "store/postgres/word_rows.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

class WordCheck {
 public:
  using Fault = std::function<void(std::string sentence)>;
  WordCheck(Connection& connection, Fault fault) : connection_(connection), fault_(std::move(fault)) {}

  Status rules();  // those between the tables
  Status load();   // which stream has which columns
  Status expect(RecordNo record, StreamNo stream, TextNo text, WordColumns mask, std::string_view body);
  Status look();    // for what was expected since the last time
  Status finish();  // when all records have been seen

 private:
  struct Single {
    RecordNo record = 0;
    std::string vector;
  };
  struct Several {
    RecordNo record = 0;
    TextNo text = 0;
    WordLayout layout;
    std::string body;
  };

  Status look_at(const Several& several);
  Result<std::int64_t> compare_long(const Several& several, const SearchedText& text);

  Connection& connection_;
  Fault fault_;
  std::unordered_map<StreamNo, WordLayout> layouts_;  // with columns that are being dropped
  std::vector<Single> singles_;
  std::vector<Several> several_;
  std::int64_t rows_ = 0;  // of words
};

}  // namespace ladder::store::postgres
