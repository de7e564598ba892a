// The rules by which the words of the index were made, and emptying the index when these have changed (design D19).
#pragma once

#include "base/error/error.h"
#include "store/sqlite/engine/connection.h"

namespace ladder::store::sqlite {

Status note_words_version(Connection& connection);  // this program's

// Says whether the index was made by the tokenizer of this program.
Result<bool> words_are_current(Connection& connection);
// Empties the index when it was not; reindex() fills it again. The caller holds the writer queue.
Status renew_words(Connection& connection);

// Empties the index, inside a transaction; reindex() fills it again from the records.
Status empty_words(Connection& connection);

}  // namespace ladder::store::sqlite
