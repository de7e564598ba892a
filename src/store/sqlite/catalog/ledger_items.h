// The disclosure ledger's items on SQLite: one table, changed by compare-and-swap inside a write transaction.
#pragma once

#include "store/ledger_store.h"
#include "store/sqlite/engine/connection.h"
#include "store/sqlite/engine/reader_pool.h"
#include "store/sqlite/engine/writer.h"

namespace ladder::store::sqlite {

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
