// Plans a batch's changes to the word index: the words of every key's new record.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/postgres/records/write_plan.h"
#include "store/postgres/search/word_rows.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store::postgres {

// Collects the changes in `rows`. Returns the word state of each key, in order of the keys.
Result<std::vector<WordState>> plan_words(const WritePlan& plan, std::span<const RecordNo> numbers, TextNumbers& texts,
                                          WordRows& rows);

// Converts a computed plan to rows: one statement per table and kind of change, with all rows as arrays.

// Queues all changes of the plan except the stream's own row. `numbers` has the new record numbers, ascending; `words`
// has an element per key of the plan. Returns whether anything changes, and the change in the number of live records.
struct QueuedRows {
  bool anything = false;
  std::int64_t record_delta = 0;
};
QueuedRows queue_rows(Connection& connection, StreamNo stream, const WritePlan& plan, std::span<const RecordNo> numbers,
                      std::span<const WordState> words, Instant now);

}  // namespace ladder::store::postgres
