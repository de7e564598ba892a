// Stores the items of authorization and of the disclosure ledger, in one table each. Items are changed by
// compare-and-swap in a write transaction.
#pragma once

#include "store/auth_store.h"
#include "store/ledger_store.h"
#include "store/sql/database.h"
#include "store/store_functions.h"

namespace ladder::store {

class AuthItems final : public AuthStore {
 public:
  explicit AuthItems(sql::Database& database) : database_(database) {}

  LADDER_AUTH_FUNCTIONS(LADDER_OVERRIDE)

 private:
  sql::Database& database_;
};

// $1 owner, $2 kind, $3 first key, $4 limit, $5 end of the key range (exclusive). Each bound must be an index
// condition. An optional bound would be a filter, and the engine would read all items after the range.
#define LADDER_LEDGER_SCAN(upto, order)                                                                                    \
  "SELECT key, body, version FROM ledger_items WHERE owner_no = $1 AND kind = $2 AND key >= $3" upto " ORDER BY key" order \
  " LIMIT $4"
inline constexpr sql::Statement kLedgerScan{LADDER_LEDGER_SCAN("", "")};
inline constexpr sql::Statement kLedgerScanBack{LADDER_LEDGER_SCAN("", " DESC")};
inline constexpr sql::Statement kLedgerRange{LADDER_LEDGER_SCAN(" AND key < $5", "")};
inline constexpr sql::Statement kLedgerRangeBack{LADDER_LEDGER_SCAN(" AND key < $5", " DESC")};

class LedgerItems final : public LedgerStore {
 public:
  explicit LedgerItems(sql::Database& database) : database_(database) {}

  LADDER_LEDGER_FUNCTIONS(LADDER_OVERRIDE)

 private:
  sql::Database& database_;
};

}  // namespace ladder::store
