// Looking for damaged rows of a PostgreSQL store (store/damage.h).
#pragma once

#include "store/damage.h"
#include "store/postgres/connection.h"

namespace ladder::store::postgres {

// Reads every record, long value and blob, in the view of the connection's open transaction.
Result<DamageReport> find_damage(Connection& connection);

}  // namespace ladder::store::postgres
