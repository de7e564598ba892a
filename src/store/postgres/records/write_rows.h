// Plans a batch's changes to the word index: for every key of the plan the words of its new record.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/postgres/records/write_plan.h"
#include "store/postgres/search/word_rows.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store::postgres {

// Gathers them in `rows`. Returns the state of the words of each key, in their order.
Result<std::vector<WordState>> plan_words(const WritePlan& plan, std::span<const RecordNo> numbers, TextNumbers& texts,
                                          WordRows& rows);

// Turns a worked-out plan into rows: one statement per table and kind of change, each with all its rows as arrays.

// Queues everything the plan changes but the stream's own row. `numbers` are the new record numbers, as many as the plan needs,
// ascending; `words` has an element per key of the plan. Returns by how much the number of live records grows, or nothing when
// nothing changes.
struct QueuedRows {
  bool anything = false;
  std::int64_t records_more = 0;
};
QueuedRows queue_rows(Connection& connection, StreamNo stream, const WritePlan& plan, std::span<const RecordNo> numbers,
                      std::span<const WordState> words, Instant now);

}  // namespace ladder::store::postgres
