// The searched texts of a record: its string members with a column in the word index. Text that looks like base64 is
// skipped; objects, arrays and numbers are not searched.
#pragma once

#include "store/long_values/long_value.h"
#include "store/rows/word_search.h"
#include "text/passages.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

// A searched field, for writes.
struct WordColumn {
  int column = 0;
  std::string field;
};

struct SearchedText {
  int column = 0;
  std::string text;            // the decoded text, if it is short
  std::optional<LongRef> ref;  // set if it is long
};

// The searched texts, ascending by column.
std::vector<SearchedText> searched_texts(std::string_view body, std::span<const WordColumn> columns);

// The words of a record's short texts, cut into passages. This needs no transaction, so bulk writers do it in another
// thread first (Store::prepare). A write uses the result if the searched fields are still the same.
struct ShortPassage {
  int column = 0;
  text::Passage passage;
};

// The passages of the short texts, by column and position.
Result<std::vector<ShortPassage>> short_passages(std::span<const SearchedText> texts);

struct CutWords {
  std::int64_t epoch = -1;  // of the searched fields at that time; -1: nothing was cut
  std::vector<SearchedText> texts;
  std::vector<ShortPassage> passages;
};

}  // namespace ladder::store
