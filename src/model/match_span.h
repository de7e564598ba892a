// Where the window of a query lies, once its match is found: the same wherever it was found.
#pragma once

#include "model/window_selector.h"

#include <cstdint>

namespace ladder::model {

struct MatchSpan {
  std::int64_t start = 0, end = 0;  // in chars of the field
  std::int64_t limit = 0;
};

// The match always lies inside: when the limit is too small for the context before it, that context gives way.
MatchSpan span_around(const WindowSelector& query, std::int64_t match_start, std::int64_t match_chars, std::int64_t size_chars);

}  // namespace ladder::model
