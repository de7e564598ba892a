// The part of the invariants about what finds records by value: entries, days and blob references are exactly those that the
// records' bodies ask for, and indexes are exactly those that the fields ask for.
#pragma once

#include "store/field_index.h"
#include "store/sqlite/connection.h"

#include <cstdint>
#include <functional>
#include <map>
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

}  // namespace ladder::store::sqlite
