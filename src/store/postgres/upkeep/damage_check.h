// Finds damaged rows of a PostgreSQL store (store/checksums/row_sums.h).
#pragma once

#include "store/checksums/row_sums.h"
#include "store/postgres/engine/connection.h"

#include <cstdint>
#include <functional>

namespace ladder::store::postgres {

// Reads every record, long value and blob of the connection's owner in its open transaction. Reports the number of records read.
Result<DamageReport> find_damage(Connection& connection, const std::function<void(std::int64_t done)>& tell);

}  // namespace ladder::store::postgres
