// Changes to the sums of what clients have seen, gathered while merged ranges change, and written with them in one transaction.
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
  // Puts the sums as they are then. A sum that came to nothing stays as zeros: a row that is removed has no version to compare.
  Status put_into(store::LedgerChange& change);

 private:
  void count(const SeenRecord& seen, std::int64_t records, std::int64_t times_chars);

  store::LedgerStore& store_;
  store::OwnerNo owner_;
  std::map<std::string, SeenSum> differences_;  // by key
};

}  // namespace ladder::server
