// The parts of a record that the store ranks and folds it by: granted fields alone.
#pragma once

#include "server/search/search_plan.h"
#include "store/rows.h"
#include "store/text/near_copies.h"
#include "store/word_search.h"

namespace ladder::server {

store::WordReading reading_of(const SearchPlace& place, const store::RecordRow& record);

// The sketch of its text. Empty where the declaration does not say that the stream has copies.
store::NearSketch sketch_of(const SearchPlace& place, const store::WordReading& reading);

}  // namespace ladder::server
