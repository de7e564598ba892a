// The version of the tokenizer rules that built the index, and emptying the index when the rules change (design D19).
#pragma once

#include "base/error/error.h"
#include "store/sqlite/engine/connection.h"

namespace ladder::store::sqlite {

Status store_words_version(Connection& connection);  // stores the version of this program

// Returns whether the index was built by this program's tokenizer.
Result<bool> words_are_current(Connection& connection);
// Empties the index if it was not; reindex() fills it again. The caller holds the writer queue.
Status empty_stale_words(Connection& connection);

// Empties the index inside a transaction; reindex() fills it again from the records.
Status clear_word_index(Connection& connection);

}  // namespace ladder::store::sqlite
