// Reads by value: entries of the field index, day counts, and what refers to a blob. Each is one statement.
#pragma once

#include "store/postgres/connection.h"
#include "store/store.h"

#include <cstdint>
#include <vector>

namespace ladder::store::postgres {

// As store.h says.
Result<std::vector<IndexedRow>> index_page(Connection& connection, IndexNo index, const IndexRange& range, bool descending,
                                           std::int64_t limit);
Result<std::optional<std::string>> last_order_key(Connection& connection, StreamNo stream, const IndexRange& range);
Result<std::int64_t> index_count(Connection& connection, IndexNo index, const IndexRange& range, std::int64_t limit);
Result<std::int64_t> order_count(Connection& connection, StreamNo stream, const IndexRange& range, std::int64_t limit);
Result<std::vector<DayCount>> index_days(Connection& connection, IndexNo index, std::int64_t first, std::int64_t last);
Result<std::vector<RecordRow>> records_with_blob(Connection& connection, const Digest& blob, RecordNo after, std::int64_t limit);

}  // namespace ladder::store::postgres
