// Search cursors: the last hit shown and the weights used by the first page. Sealed with a random nonce and padded,
// so that neither the content nor the length reveals anything (design D6). Bound to the grants, words, streams,
// connection and conditions.
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/access/access.h"
#include "server/search/search_wording.h"
#include "server/search/time_words.h"
#include "store/rows/word_search.h"
#include "text/word_query.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// A record's position in the search order. Scopes are stored by name, since their numbers depend on the catalog.
struct SearchedRecord {
  std::optional<Instant> time;
  std::string key;
  std::string connection_id, stream;

  friend bool operator==(const SearchedRecord&, const SearchedRecord&) = default;
};

struct HeadEnd {
  std::int64_t score = 0;
  SearchedRecord record;

  friend bool operator==(const HeadEnd&, const HeadEnd&) = default;
};

struct SearchPosition {
  std::int64_t score = 0;
  SearchedRecord last;
  text::WordWeights weights = {};        // used by the first page
  std::optional<HeadEnd> head_end = {};  // the last hit that was folded but not measured
  QueryChanges changes = {};             // made to the words by the first page
  // Hashes of the records already shown. With several wordings each page is ranked again without them.
  std::vector<std::uint32_t> shown = {};
  std::optional<TimeRange> times =
      {};  // parsed from the question on the first page, so that later pages don't depend on the clock

  friend bool operator==(const SearchPosition&, const SearchPosition&) = default;
};

// The request that a cursor is bound to, except for whitespace in the words and the page size.
std::string search_binding(const Access& access, const api::SearchRequest& request, const text::WordQuery& query,
                           const std::set<std::string>& kinds);

std::string seal_search(const crypto::Sealer& sealer, std::string_view binding, const SearchPosition& position);
// kInvalidCursor, kCursorExpired, kCursorMismatch.
Result<SearchPosition> open_search(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);

}  // namespace ladder::server
