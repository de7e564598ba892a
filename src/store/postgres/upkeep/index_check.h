// Checks that the field index and the blob references exactly match the records. It receives all records in batches,
// looks up the rows each must have, and at the end checks that there are no others.
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

  Status load();  // reads the indexes of all streams
  void expect(RecordNo record, StreamNo stream, std::string_view key, std::string_view order_key, std::string_view body);
  Status look_up();  // looks up the rows expected since the last call
  Status finish();   // called after all records

 private:
  // The expected rows in wire format.
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
