// Stores the items of authorization and of the disclosure ledger, in one table each. Items are changed by
// compare-and-swap in a write transaction.
#pragma once

#include "store/auth_store.h"
#include "store/ledger_store.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/reserve.h"
#include "store/sqlite/engine/writer.h"

namespace ladder::store::sqlite {

class SqliteAuthStore final : public AuthStore {
 public:
  SqliteAuthStore(Writer& writer, ReaderPool& readers, const Reserve& reserve)
      : writer_(writer), readers_(readers), reserve_(reserve) {}

  Result<std::optional<AuthItem>> find(std::string_view kind, std::string_view key) override;
  Result<std::vector<AuthItem>> list(std::string_view kind, OwnerNo owner) override;
  Result<std::int64_t> count(std::string_view kind) override;
  Result<bool> apply(const AuthChange& change) override;
  Result<std::int64_t> remove_expired(Instant now) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
  const Reserve& reserve_;
};

// ?1 owner, ?2 kind, ?3 first key, ?4 limit, ?5 end of the key range (exclusive). Each bound must be an index
// condition. An optional bound would be a filter, and SQLite would read all items after the range.
#define LADDER_SQLITE_LEDGER_SCAN(upto, order)                                                                             \
  "SELECT key, body, version FROM ledger_items WHERE owner_no = ?1 AND kind = ?2 AND key >= ?3" upto " ORDER BY key" order \
  " LIMIT ?4"
#define LADDER_SQLITE_LEDGER_BELOW " AND key < ?5"
inline constexpr const char* kLedgerScanSql = LADDER_SQLITE_LEDGER_SCAN("", "");
inline constexpr const char* kLedgerScanBackSql = LADDER_SQLITE_LEDGER_SCAN("", " DESC");
inline constexpr const char* kLedgerRangeSql = LADDER_SQLITE_LEDGER_SCAN(LADDER_SQLITE_LEDGER_BELOW, "");
inline constexpr const char* kLedgerRangeBackSql = LADDER_SQLITE_LEDGER_SCAN(LADDER_SQLITE_LEDGER_BELOW, " DESC");

class SqliteLedgerStore final : public LedgerStore {
 public:
  SqliteLedgerStore(Writer& writer, ReaderPool& readers) : writer_(writer), readers_(readers) {}

  Result<std::vector<LedgerItem>> find(std::span<const LedgerKey> keys) override;
  Result<std::vector<LedgerItem>> scan(OwnerNo owner, std::string_view kind, std::string_view from, std::string_view to,
                                       std::int64_t limit, KeyOrder order) override;
  Result<bool> apply(const LedgerChange& change) override;

 private:
  Writer& writer_;
  ReaderPool& readers_;
};

}  // namespace ladder::store::sqlite
