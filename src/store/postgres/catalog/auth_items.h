// The items of sign-in and authorization on PostgreSQL: one table, changed by compare-and-swap inside a transaction.
#pragma once

#include "store/auth_store.h"
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

}  // namespace ladder::store::postgres
