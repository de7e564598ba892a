// Evidence for a hit (design D4): up to three windows of plain text around the matched words, best first, which
// together show every required term if possible. Works on text in which the words have already been located; performs
// no reads.
#pragma once

#include "api/preview.h"
#include "api/search.h"
#include "base/error/error.h"
#include "server/search/search_plan.h"
#include "store/store.h"
#include "text/word_query.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ladder::server {

inline constexpr std::size_t kMaxMatchWindows = 3;
inline constexpr std::int64_t kMatchWindowChars = 240;  // exceeded only by a longer phrase

// Chars [start_chars, …) of a field, with the positions of the terms in it.
struct FoundText {
  std::string field;
  bool strong = false;          // has a higher weight, for example a title
  bool is_metadata = false;     // a title, or a field next to the declared text
  std::int64_t size_chars = 0;  // of the complete field
  std::int64_t start_chars = 0;
  std::string text;
  std::vector<text::WordRange> ranges;  // char positions in the field, by ascending start
  std::string digest = {};              // of the field

  bool is_short_metadata() const { return is_metadata && size_chars <= api::kMetadataFieldChars; }
};

// `texts` are in order of preference, which decides between equal windows.
std::vector<api::MatchWindow> choose_windows(std::span<const FoundText> texts);

// Builds a hit for the caller: the record, the positions of the words, and the text around them.

// Reads only the record's short fields, which are already loaded, and the passages of long fields that the store
// names. Returns nullopt if the record changed during the read; search again then.
Result<std::optional<api::SearchHit>> build_hit(store::Reader& reader, const SearchStream& place, const text::WordQuery& query,
                                                const store::WordHit& hit);

}  // namespace ladder::server
