// The records of a time range by their times, for a search that has no words: a week's calendar, yesterday's mail.
#pragma once

#include "base/error/error.h"
#include "server/search/search_plan.h"
#include "store/store.h"
#include "store/word_search.h"

#include <vector>

namespace ladder::server {

// Takes scopes, `accept`, order, limit, `after` and deadline of the search, and lists the records that a search for words would
// look at. The order is one by time. Scopes without columns or times are passed over.
Result<store::WordPage> list_by_time(store::Reader& reader, const std::vector<const SearchPlace*>& places,
                                     const store::WordSearch& search);

}  // namespace ladder::server
