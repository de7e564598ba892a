// Search cursors: the last place shown and the weights that the first page ranked by. Sealed with a random nonce and padded, so
// that neither the text nor its length tells anything (design D6); bound to grants, words, streams, connection and conditions.
#pragma once

#include "api/search.h"
#include "base/error/error.h"
#include "base/time/time.h"
#include "crypto/seal.h"
#include "server/access/access.h"
#include "server/search/search_wording.h"
#include "server/search/time_words.h"
#include "store/text/word_query.h"
#include "store/word_search.h"

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

// A record in the order of a search; scopes are named, since their numbers change with what is there.
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
  store::WordWeights weights = {};       // that the first page ranked by
  std::optional<HeadEnd> head_end = {};  // of what was folded but not measured
  QueryChanges changes = {};             // that the first page made to the words
  // Hashes of the records that were shown. Several wordings are ranked again for each page, and what was shown is left out.
  std::vector<std::uint32_t> shown = {};
  std::optional<TimeRange> times = {};  // that words of the question told; the first page decides, whatever the clock says later

  friend bool operator==(const SearchPosition&, const SearchPosition&) = default;
};

// The request that a cursor is bound to: everything but white space in the words and the page size.
std::string search_binding(const Access& access, const api::SearchRequest& request, const store::WordQuery& query,
                           const std::set<std::string>& kinds);

std::string seal_search(const crypto::Sealer& sealer, std::string_view binding, const SearchPosition& position);
// kInvalidCursor, kCursorExpired, kCursorMismatch.
Result<SearchPosition> open_search(const crypto::Sealer& sealer, std::string_view binding, std::string_view sealed);

}  // namespace ladder::server
