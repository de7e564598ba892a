// The texts of a record that are searched: its string members that have a column in the word index. Text that looks like base64
// is no text; objects, arrays and numbers are not searched.
#pragma once

#include "store/long_values/long_value.h"
#include "store/text/passages.h"
#include "store/word_search.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// A searched field as a write needs it.
struct WordColumn {
  int column = 0;
  std::string field;
};

struct SearchedText {
  int column = 0;
  std::string text;            // decoded; of a short one
  std::optional<LongRef> ref;  // of a long one
};

// The columns that have text, ascending.
std::vector<SearchedText> searched_texts(std::string_view body, std::span<const WordColumn> columns);

// The words of a record's short texts, cut into passages. That needs no transaction, so whoever writes many records has it done
// by another thread before (Store::prepare); a write uses it when the searched fields are still the same.
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
