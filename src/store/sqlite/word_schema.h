// The rules by which the words of a store were made, and making them anew when these have changed (design D19).
#pragma once

#include "store/sqlite/connection.h"

namespace ladder::store::sqlite {

Status note_words_version(Connection& connection);  // this program's

// Whether what is in the index was made by the tokenizer of this program.
Result<bool> words_are_current(Connection& connection);
// Empties the index when it was not; reindex() fills it again. The caller holds the turnstile.
Status renew_words(Connection& connection);

}  // namespace ladder::store::sqlite
