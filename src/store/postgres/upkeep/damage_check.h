// Checks whether the long values of records are complete and match their checksums (row_sums.h).
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/row_sums.h"
#include "store/rows.h"

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>

namespace ladder::store::postgres {

// The values [first, first + count) that a record with this body owns.
struct StoredValues {
  ValueId first = 0;
  std::int64_t count = 0;
  std::string_view body;
  bool intact = true;
};

// Sets `intact` of each, in a few round trips for all of them. Very long values are read in pieces.
Status check_values(Connection& connection, std::span<StoredValues> values);

// Finds damaged rows of a PostgreSQL store (store/row_sums.h).

// Reads every record, long value and blob of the connection's owner in its open transaction. Reports the number of records read.
Result<DamageReport> find_damage(Connection& connection, const std::function<void(std::int64_t done)>& tell);

}  // namespace ladder::store::postgres
