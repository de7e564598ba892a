// The items that other layers keep on SQLite, those of sign-in and authorization and those of the disclosure ledger: a table for
// each, changed by compare-and-swap inside a write transaction.
#pragma once

#include "store/auth_store.h"
#include "store/ledger_store.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/reserve.h"
#include "store/sqlite/engine/writer.h"

namespace ladder::store::sqlite {

Status add_auth_table(Connection& connection);  // a migration step

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

Status add_ledger_table(Connection& connection);  // a migration step

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
