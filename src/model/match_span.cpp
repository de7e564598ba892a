#include "model/match_span.h"

#include <algorithm>

namespace ladder::model {

MatchSpan span_around(const WindowSelector& query, std::int64_t match_start, std::int64_t match_chars, std::int64_t size_chars) {
  MatchSpan span;
  span.limit = query.query_limit(match_chars);
  const std::int64_t match_end = match_start + match_chars;
  span.start = std::max({std::int64_t{0}, match_start - query.before_chars, match_end - span.limit});
  span.end = query.limit_chars ? span.start + span.limit : std::min(match_end + query.after_chars, span.start + span.limit);
  span.end = std::min(span.end, size_chars);
  return span;
}

}  // namespace ladder::model
