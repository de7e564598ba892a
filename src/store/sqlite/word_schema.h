// The word index as a whole: making it, and making it anew when the rules for words have changed (design D19).
#pragma once

#include "store/sqlite/connection.h"

namespace ladder::store::sqlite {

Status make_words(Connection& connection);  // in a store that has none

// Whether what is in the index was made by the tokenizer of this program.
Result<bool> words_are_current(Connection& connection);
// Empties the index when it was not; reindex() fills it again. The caller holds the turnstile.
Status renew_words(Connection& connection);

}  // namespace ladder::store::sqlite
