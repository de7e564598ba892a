// Searches the word index: the same hits in the same order on every engine (store/word_search.h). A search counts how common each
// term is, walks once over the records that have their words in one row and once over those that need several, and then makes the
// page. What the scopes leave out is left out before anything is counted.
#pragma once

#include "store/search/search_ranges.h"
#include "store/search/search_rows.h"
#include "store/word_search.h"

#include <memory>

namespace ladder::store {

Result<WordPage> search_words(SearchRows& rows, const WordSearch& search, std::shared_ptr<const SearchRanges> ranges);

}  // namespace ladder::store
