// Which texts of a record are searched: its string members that have a column in the word index. Text that looks like base64 is
// no text; objects, arrays and numbers are not searched.
#pragma once

#include "store/long_value.h"
#include "store/word_search.h"

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

// Those with text, by ascending column.
std::vector<SearchedText> searched_texts(std::string_view body, std::span<const WordColumn> columns);

}  // namespace ladder::store
