// Says whether the field index and the references to blobs are exactly what the records make them. Fed with all records in turn,
// some at a time; asks for what those must have, and in the end whether there is anything else.
#pragma once

#include "store/index/field_index.h"
#include "store/postgres/engine/connection.h"
#include "store/postgres/search/word_columns.h"
#include "store/postgres/search/word_rows.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

class IndexCheck {
 public:
  using Fault = std::function<void(std::string sentence)>;
  IndexCheck(Connection& connection, Fault fault) : connection_(connection), fault_(std::move(fault)) {}

  Status load();  // which stream has which indexes
  void expect(RecordNo record, StreamNo stream, std::string_view key, std::string_view order_key, std::string_view body);
  Status look();    // for what was expected since the last time
  Status finish();  // when all records have been seen

 private:
  // Rows that must be there, in wire form.
  struct Expected {
    Int8Array index, entry_record;
    ByteaArray entry;
    ByteaArray blob;
    Int8Array blob_record;
  };

  Status check_totals();
  Status check_days();

  Connection& connection_;
  Fault fault_;
  std::unordered_map<StreamNo, std::vector<IndexSpec>> indexes_;
  Expected expected_;
  std::int64_t entries_ = 0, blobs_ = 0;
  std::map<IndexDay, std::int64_t> days_;
};

// True if the word index is exactly what the records' texts make it. Fed with all records in turn, some at a time; tokenises
// again what each of them has in the index and compares, word vector by word vector.
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
