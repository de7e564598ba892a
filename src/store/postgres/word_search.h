// Searching the word index of this engine (store/word_search.h).
//
// Candidates are ranked by a score that needs no statistics (word_statements.h). Past `ranked` of them only the newest are, and
// the others follow by time; which they are is the same whichever way they were found. Three ways there are, chosen by what a
// look at the newest rows promises: through the GIN index, for most words; by time, for words in most records; and through the
// GIN index in the order of time, for what lies between.
#pragma once

#include "store/postgres/known_streams.h"
#include "store/postgres/pool.h"
#include "store/word_search.h"

#include <cstdint>

namespace ladder::store::postgres {

// More than 20,000 candidates would take longer than half of what PostgreSQL takes to rank a word in most of 100,000 records.
inline constexpr std::int64_t kRankedCandidates = 20'000;

Result<WordPage> search_words(Pool& pool, KnownStreams& known, const WordSearch& search, std::int64_t ranked);

}  // namespace ladder::store::postgres
