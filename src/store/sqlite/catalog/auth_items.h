// The items of sign-in and authorization on SQLite: one table, changed by compare-and-swap inside a write transaction.
#pragma once

#include "store/auth_store.h"
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

}  // namespace ladder::store::sqlite
