// Stores the items of authorization and of the disclosure ledger, in one table each. Items are changed by
// compare-and-swap in a transaction.
#pragma once

#include "store/auth_store.h"
#include "store/ledger_store.h"
#include "store/postgres/engine/pool.h"

namespace ladder::store::postgres {

class PostgresAuthStore final : public AuthStore {
 public:
  explicit PostgresAuthStore(Pool& pool) : pool_(pool) {}

  Result<std::optional<AuthItem>> find(std::string_view kind, std::string_view key) override;
  Result<std::vector<AuthItem>> list(std::string_view kind, OwnerNo owner) override;
  Result<std::int64_t> count(std::string_view kind) override;
  Result<bool> apply(const AuthChange& change) override;
  Result<std::int64_t> remove_expired(Instant now) override;

 private:
  Pool& pool_;
};

// $1 owner, $2 kind, $3 first key, $4 limit, $5 end of the key range (exclusive). Each bound must be an index
// condition. An optional bound would be a filter, and PostgreSQL would read all items after the range.
#define LADDER_PG_LEDGER_SCAN(upto, order)                                                                                \
  "SELECT key, body, version FROM ledger_items WHERE owner_no = $1::bigint AND kind = $2::text AND key >= $3::bytea" upto \
  " ORDER BY key" order " LIMIT $4::bigint"
#define LADDER_PG_LEDGER_BELOW " AND key < $5::bytea"
inline constexpr const char* kLedgerScanSql = LADDER_PG_LEDGER_SCAN("", "");
inline constexpr const char* kLedgerScanBackSql = LADDER_PG_LEDGER_SCAN("", " DESC");
inline constexpr const char* kLedgerRangeSql = LADDER_PG_LEDGER_SCAN(LADDER_PG_LEDGER_BELOW, "");
inline constexpr const char* kLedgerRangeBackSql = LADDER_PG_LEDGER_SCAN(LADDER_PG_LEDGER_BELOW, " DESC");

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
