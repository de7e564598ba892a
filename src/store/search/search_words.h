// Searches the word index, with the same hits in the same order on every engine (store/rows/word_search.h). A search counts
// how common each term is, walks once over the records with all words in one row and once over those with several rows,
// and then builds the page. Everything outside the scopes is excluded before counting.
#pragma once

#include "store/rows/word_search.h"
#include "store/search/search_ranges.h"
#include "store/search/search_rows.h"

#include <memory>

namespace ladder::store {

Result<WordPage> search_words(SearchRows& rows, const WordSearch& search, std::shared_ptr<const SearchRanges> ranges);

}  // namespace ladder::store
