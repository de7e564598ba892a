// How common the words of a search are: granted records that have each term, which decide its weight. A count is kept until
// somebody writes to one of the streams (known_streams.h).
#pragma once

#include "store/postgres/search/search_state.h"

#include <cstdint>
#include <optional>

namespace ladder::store::postgres {

// Gives the search its weights, those of the first page where it has them. `records`: of the scopes that are seen whole.
Status weigh(SearchState& state, std::int64_t records);

// The same by what is known, without asking the server; false: something is unknown, and nothing was weighed.
bool weigh_by_known(SearchState& state, std::int64_t records);

// Keeps how many records of one row a search for a single term has found.
void keep_count_of_term(SearchState& state, const SearchGroup& group, std::int64_t found);

// The share of the group's records that match, by the counts of words that are in few records.
std::optional<double> known_share(const SearchState& state, const SearchGroup& group);

}  // namespace ladder::store::postgres
