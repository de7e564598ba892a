// A search under way: what its steps share. The steps are, in this order: open the view and look around (search_start.h), weigh
// the words by how many records have them (term_counts.h), find the candidates (find_candidates.h), rank them and make the page
// (word_search.cpp).
#pragma once

#include "store/postgres/catalog/known_streams.h"
#include "store/postgres/engine/batch.h"
#include "store/postgres/search/present_forms.h"
#include "store/postgres/search/word_group.h"
#include "store/postgres/search/word_search.h"
#include "store/postgres/search/word_texts.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace ladder::store::postgres {

inline constexpr std::int64_t kNoLimit = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t kUnrankedScore = -1;  // of those that follow by time
inline constexpr std::size_t kCheckedAtOnce = 500;

std::unexpected<Error> took_too_long();

struct SearchGroup {
  WordGroup words;
  bool texts_there = false;  // there are records of several rows
  std::int64_t records = 0;  // of its streams; of a range that is walked, within it
  double share = 0;          // of them that match, about
  std::string guess, state;  // of its streams: as it was last time, and in this view
  std::optional<PresentForms> forms;
  struct Asked {
    Answer forms, in_range, probe, candidates;
  } asked;                           // about it, in a round trip that tells other things, too
  std::vector<std::int64_t> counts;  // of each term, in records of one row; empty: unknown
  bool walked = false;               // it is a time range, small enough to be walked over whatever the words are
  std::int64_t owner_records = 0;
  WordCandidates texts;                 // records of several rows, by time
  std::optional<WordCandidates> found;  // those of one row, when they came together with the view
};

struct SearchState {
  Connection& connection;
  KnownStreams& known;
  const WordSearch& search;
  const std::int64_t most_ranked;
  WordTexts texts{connection, *search.query};
  WordWeights weights = {};
  bool measures = false;                  // the best are to be measured, and what is usual among them found
  std::vector<std::int64_t> counts = {};  // of each term, on the first page
  std::vector<SearchGroup> groups = {};
  std::vector<StreamFacts> facts = {};  // of the streams in this view, by number

  Status may_go_on() const;
  WordScoring scoring() const { return {*search.query, weights, search.scopes}; }
  bool is_checked(const SearchGroup& group) const;
  bool is_time_range(const SearchGroup& group) const;
  // A walk that began with everything ranked goes on like that, however many come meanwhile.
  std::int64_t most() const { return search.after || search.order != WordOrder::kScore ? kNoLimit : most_ranked; }
  const StreamFacts* facts_of(StreamNo stream) const;  // null: there is no such stream
  // Drops candidates of checked scopes that are not accepted.
  Status keep_accepted(WordCandidates& candidates);
};

// Whole rows of records by their numbers, in no order.
inline constexpr Statement kRecordsByNumber{kRecordsByNumberSql};

}  // namespace ladder::store::postgres
