// Says whether the field index and the references to blobs are exactly what the records make them. Fed with all records in turn,
// some at a time; asks for what those must have, and in the end whether there is anything else.
#pragma once

#include "store/index/field_index.h"
#include "store/postgres/engine/connection.h"

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

}  // namespace ladder::store::postgres
