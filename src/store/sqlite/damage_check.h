// Looking for damaged rows of a SQLite store (store/damage.h).
#pragma once

#include "store/damage.h"
#include "store/sqlite/connection.h"

namespace ladder::store::sqlite {

// Reads every record, long value and blob, in the view of the connection's open transaction.
Result<DamageReport> find_damage(Connection& connection);

}  // namespace ladder::store::sqlite
