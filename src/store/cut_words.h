// The words of a record's short texts, cut into passages. That needs no transaction, so whoever writes many records has it done
// by another thread before (Store::prepare); a write uses it when the searched fields are still the same.
#pragma once

#include "store/passages.h"
#include "store/searched_text.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store {

struct ShortPassage {
  int column = 0;
  Passage passage;
};

// Of the short ones among the texts, by column and place.
Result<std::vector<ShortPassage>> short_passages(std::span<const SearchedText> texts);

struct CutWords {
  std::int64_t epoch = -1;  // of the searched fields they were cut for; -1: nothing was cut
  std::vector<SearchedText> texts;
  std::vector<ShortPassage> passages;
};

}  // namespace ladder::store
