#include "store/postgres/engine/postgres_store.h"

#include "store/postgres/engine/migrations.h"

namespace ladder::store::postgres {
namespace {

// A pooler that shares sessions gives a second connection the session of the first, which is not in a transaction.
Status check_pooler(const Connection& first) {
  if (!first.is_pooled()) return {};
  const auto second = Connection::open(first.address(), Deadline::after(kProbeTimeout));
  if (!second && second.error().code == Code::kNotSetUp) return std::unexpected(second.error());
  return {};  // a pool of one session has no second one
}

}  // namespace

Result<std::unique_ptr<Store>> open_postgres(const std::string& address, OpenMode mode, const OpenOptions& options) {
  LADDER_TRY(Address parsed, Address::parse(address));
  LADDER_TRY(const auto connection, Connection::open(parsed));
  LADDER_CHECK(check_pooler(*connection));
  LADDER_TRY(auto seal_keys, prepare_schema(*connection, mode));
  // Errors while opening go to the local operator. Later errors may go to any client, so they name no user, host or database.
  parsed.shown = "the database of the store";
  return std::make_unique<PostgresStore>(std::move(parsed), std::move(seal_keys), options);
}

}  // namespace ladder::store::postgres
