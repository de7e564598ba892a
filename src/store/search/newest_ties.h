// Candidates with the same score come newest first. A word that a stream has in thousands of records makes thousands of
// ties, and each takes a look-up of its time and key; but the stream's order of time tells the newest after a short walk.
#pragma once

#include "store/search/word_hits.h"

#include <cstddef>
#include <vector>

namespace ladder::store {

// Takes candidates out of `best` that cannot be among the first `wanted`: of the worst score there, those of a scope that are
// older than others of it. Only where a scope is seen whole, since the walk meets all of its records.
Status drop_older_ties(SearchRows& rows, std::span<const WordScope> scopes, std::size_t wanted, std::vector<WordCandidate>& best);

}  // namespace ladder::store
