// Evidence of a hit (design D4): up to three windows of plain text around the words that matched, best first, which together show
// every required term where that is possible. Works on pieces of text in which the words have been found; reads nothing.
#pragma once

#include "api/preview.h"
#include "api/search.h"
#include "base/error/error.h"
#include "server/search/search_plan.h"
#include "store/store.h"
#include "store/text/word_query.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ladder::server {

inline constexpr std::size_t kMaxMatchWindows = 3;
inline constexpr std::int64_t kMatchWindowChars = 240;  // a longer one only holds a phrase that is longer itself

// Chars [start_chars, …) of a field, and where terms lie in it.
struct FoundText {
  std::string field;
  bool strong = false;          // it weighs more: a title
  bool is_metadata = false;     // a title, or a field next to the declared text
  std::int64_t size_chars = 0;  // of the whole field
  std::int64_t start_chars = 0;
  std::string text;
  std::vector<store::WordRange> ranges;  // chars of the field, by ascending start
  std::string digest = {};               // of the field

  bool is_short_metadata() const { return is_metadata && size_chars <= api::kMetadataFieldChars; }
};

// Texts come in the order in which fields and passages are preferred where they show the same.
std::vector<api::MatchWindow> choose_windows(std::span<const FoundText> texts);

// A hit as the caller sees it: which record, where the words are, and the text around them.

// Reads no more than the record's short fields, which came with it, and the passages of its long ones that the store names.
// nullopt: the record changed while it was read; search anew.
Result<std::optional<api::SearchHit>> to_hit(store::Reader& reader, const SearchPlace& place, const store::WordQuery& query,
                                             const store::WordHit& hit);

}  // namespace ladder::server
