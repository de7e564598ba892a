// The beginning of a search: opens the view in which everything is read, and looks around. Afterwards the search knows its
// weights, and of each group which forms of the words are there, how many records it has and which share of them matches.
//
// A search of streams that nobody has written to since another search saw them needs one round trip for that, and where the
// counts of its words are known, too, finds its candidates in the same.
#pragma once

#include "store/postgres/search/search_state.h"

namespace ladder::store::postgres {

Status start_search(SearchState& state);

}  // namespace ladder::store::postgres
