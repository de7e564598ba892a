// Extracts the parts of a record that the store uses for ranking and folding. Uses granted fields only.
#pragma once

#include "server/search/search_plan.h"
#include "store/rows.h"
#include "store/text/near_copies.h"
#include "store/word_search.h"

namespace ladder::server {

store::RankedText reading_of(const SearchStream& place, const store::RecordRow& record);

// Returns the sketch of the record's text; empty if the declaration does not say that the stream has copies.
store::NearSketch sketch_of(const SearchStream& place, const store::RankedText& reading);

}  // namespace ladder::server
