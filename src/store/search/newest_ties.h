// Candidates with the same score are ordered newest first. A word that occurs in thousands of records of a stream
// produces thousands of ties, and each needs a lookup of its time and key. A short walk in time order finds the newest
// instead.
#pragma once

#include "store/search/word_hits.h"

#include <cstddef>
#include <vector>

namespace ladder::store {

// Removes candidates from `best` that cannot be among the first `wanted`: among those with the lowest score, the ones
// of a scope that are older than others of it. Only for fully visible scopes, since the walk meets all records of a
// scope.
Status drop_older_ties(SearchRows& rows, std::span<const WordScope> scopes, std::size_t wanted, std::vector<WordCandidate>& best);

}  // namespace ladder::store
