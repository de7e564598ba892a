// Checks whether the long values of records are complete and match their checksums (store/checksums/row_sums.h).
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/rows/rows.h"

#include <cstdint>
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

}  // namespace ladder::store::postgres
