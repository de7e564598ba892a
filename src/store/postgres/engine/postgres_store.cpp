#include "store/postgres/engine/postgres_store.h"

#include "store/postgres/engine/migrations.h"

namespace ladder::store::postgres {

Result<std::unique_ptr<Store>> open_postgres(const std::string& address, OpenMode mode) {
  LADDER_TRY(Address parsed, Address::parse(address));
  LADDER_TRY(const auto connection, Connection::open(parsed));
  LADDER_TRY(auto seal_keys, prepare_schema(*connection, mode));
  // Errors while opening go to the local operator. Later errors may go to any client, so they name no user, host or database.
  parsed.shown = "the database of the store";
  return std::make_unique<PostgresStore>(std::move(parsed), std::move(seal_keys));
}

}  // namespace ladder::store::postgres
