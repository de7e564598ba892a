// Collects changes to the sums of what clients have seen, to be written in the same transaction as the merged ranges.
#pragma once

#include "server/ledger/ledger_pages.h"
#include "store/ledger_store.h"

#include <map>
#include <string>

namespace ladder::server {

class SumChanges {
 public:
  SumChanges(store::LedgerStore& store, store::OwnerNo owner) : store_(store), owner_(owner) {}

  void add(const SeenRecord& seen) { count(seen, 1, 1); }
  void remove(const SeenRecord& seen) { count(seen, -1, -1); }
  void replace(const SeenRecord& before, const SeenRecord& after) {
    count(before, 0, -1);
    count(after, 0, 1);
  }
  // Adds the changed sums to `change`. A sum of zero is kept as a row, because a removed row has no version to
  // compare.
  Status put_into(store::LedgerChange& change);

 private:
  void count(const SeenRecord& seen, std::int64_t records, std::int64_t times_chars);

  store::LedgerStore& store_;
  store::OwnerNo owner_;
  std::map<std::string, SeenSum> differences_;  // by key
};

}  // namespace ladder::server
