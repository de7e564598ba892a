// Lists the records of a time range in time order, for a search without words: a week's calendar, yesterday's mail.
#pragma once

#include "base/error/error.h"
#include "server/search/search_plan.h"
#include "store/rows/word_search.h"
#include "store/store.h"

#include <vector>

namespace ladder::server {

// Uses the scopes, `accept`, order, limit, `after` and deadline of the search, and lists the records that a word
// search would consider. The order must be by time. Scopes without columns or times are skipped.
Result<store::WordPage> list_by_time(store::Reader& reader, const std::vector<const SearchStream*>& places,
                                     const store::WordSearch& search);

}  // namespace ladder::server
