// The disclosure ledger's items on PostgreSQL: one table, changed by compare-and-swap inside a transaction.
#pragma once

#include "store/ledger_store.h"
#include "store/postgres/engine/pool.h"

namespace ladder::store::postgres {

class PostgresLedgerStore final : public LedgerStore {
 public:
  explicit PostgresLedgerStore(Pool& pool) : pool_(pool) {}

  Result<std::vector<LedgerItem>> find(std::span<const LedgerKey> keys) override;
  Result<std::vector<LedgerItem>> scan(OwnerNo owner, std::string_view kind, std::string_view from, std::string_view to,
                                       std::int64_t limit, KeyOrder order) override;
  Result<bool> apply(const LedgerChange& change) override;

 private:
  Pool& pool_;
};

}  // namespace ladder::store::postgres
