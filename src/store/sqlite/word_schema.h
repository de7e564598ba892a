// The tables of the word index, the rules by which its words were made, and making them anew when these have changed (design
// D19).
#pragma once

#include "store/sqlite/connection.h"

namespace ladder::store::sqlite {

// The step from a store without search. Which fields are searched stands in the declarations: whoever opens the store for
// creation puts every source again (rs).
Status add_word_tables(Connection& connection);

Status note_words_version(Connection& connection);  // this program's

// Whether what is in the index was made by the tokenizer of this program.
Result<bool> words_are_current(Connection& connection);
// Empties the index when it was not; reindex() fills it again. The caller holds the turnstile.
Status renew_words(Connection& connection);

// Empties the index, inside a transaction; reindex() fills it again from the records.
Status empty_words(Connection& connection);

// Whether FTS5 will open every part. It refuses one with more levels than it knows, which earlier versions of Ladder made with a
// thousand deletions, and one whose structure record is damaged.
Result<bool> words_are_usable(Connection& connection);
// Makes them so: surplus levels are taken out, which loses nothing; when that does not help, the index is emptied. The caller
// holds the turnstile and opened the connection for this.
Status repair_words(Connection& connection);

}  // namespace ladder::store::sqlite
