// Updates the words of a stream's records after its columns have changed. Each step is one short transaction over the
// next records by key; a record with long texts takes several (text_copy.h).
#pragma once

#include "base/time/time.h"
#include "store/postgres/engine/pool.h"
#include "store/rows/rows.h"

#include <functional>
#include <optional>

namespace ladder::store::postgres {

struct StaleStream {
  OwnerNo owner = 0;
  StreamNo stream = 0;
};
Result<std::optional<StaleStream>> find_stale_stream(Connection& connection);

// Runs one step. A long text takes at least one and as many as the deadline allows. `new_value` reserves a value id.
// False when another program is working on the next record.
Result<bool> reindex_words(Pool& pool, const StaleStream& at, const std::function<Result<ValueId>()>& new_value,
                           Deadline deadline);

}  // namespace ladder::store::postgres
