// Extracts the parts of a record that the store uses for ranking and folding. Uses granted fields only.
#pragma once

#include "server/search/search_plan.h"
#include "store/rows/rows.h"
#include "store/rows/word_search.h"
#include "text/near_copies.h"

namespace ladder::server {

text::RankedText reading_of(const SearchStream& place, const store::RecordRow& record);

// Returns the sketch of the record's text; empty if the declaration does not say that the stream has copies.
text::NearSketch sketch_of(const SearchStream& place, const text::RankedText& reading);

}  // namespace ladder::server
