// Turns a worked-out plan into rows: one statement per table and kind of change, each with all its rows as arrays.
#pragma once

#include "store/postgres/connection.h"
#include "store/postgres/word_plan.h"
#include "store/postgres/write_plan.h"

#include <span>

namespace ladder::store::postgres {

// Queues everything the plan changes but the stream's own row. `numbers` are the new record numbers, as many as the plan needs,
// ascending; `words` has an element per key of the plan. Returns by how much the number of live records grows, or nothing when
// nothing changes.
struct QueuedRows {
  bool anything = false;
  std::int64_t records_more = 0;
};
QueuedRows queue_rows(Connection& connection, StreamNo stream, const WritePlan& plan, std::span<const RecordNo> numbers,
                      std::span<const PlannedWords> words, Instant now);

}  // namespace ladder::store::postgres
