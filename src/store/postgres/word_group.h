// The streams of a search that can be asked for with one query: those of one owner in which the same columns count.
#pragma once

#include "store/postgres/lexemes.h"
#include "store/postgres/wire.h"
#include "store/postgres/word_rows.h"
#include "store/word_search.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ladder::store::postgres {

inline constexpr std::int64_t kWordScore = 1000;      // what a word adds that fills a field
inline constexpr std::int64_t kNeighbourScore = 500;  // what it adds that two terms stand together

// Places are of words.place.
struct WordStream {
  StreamNo no = 0;
  std::size_t scope = 0;
  bool timed = false;
  std::int64_t low = 0, high = 0;  // places that count
};

// The parameters $6…$15 of LADDER_PG_SCORE.
struct ScoreParameters {
  std::array<TextForm, 3> query;
  std::array<std::int64_t, 3> scale{};
  TextForm further;
  Int8Array further_scales;
  TextForm neighbours;
};

struct WordGroup {
  OwnerNo owner = 0;
  WordColumns columns = 0, strong = 0;
  std::vector<WordStream> streams;  // by number

  TextForm match;  // of records whose words are one row
  ScoreParameters score;
  // for records of several rows
  std::vector<TextForm> required, excluded;  // a query per term
  TextForm column_queries;                   // by column
  Int8Array column_scales;
  bool is_strong(int column) const { return (strong >> column & 1) != 0; }

  Int8Array stream_numbers() const;
  const WordStream* find(StreamNo stream) const;
};

// `owners` has those of the scopes, in their order; 0: there is no such stream.
std::vector<WordGroup> group_scopes(const WordSearch& search, std::span<const OwnerNo> owners);

// A record that matches, in the order of a search.
struct WordCandidate {
  std::int64_t score = 0;
  std::int64_t place = 0;  // kNoPlace where time does not count
  std::string key;
  std::size_t scope = 0;
  RecordNo record = 0;
  TextNo text = 0;  // of several rows
};

// A point in the order by time.
struct TimePlace {
  std::int64_t place = 0;
  std::string key;
  std::size_t scope = 0;

  friend auto operator<=>(const TimePlace&, const TimePlace&) = default;
};
inline TimePlace time_place(const WordCandidate& candidate) { return {candidate.place, candidate.key, candidate.scope}; }
bool is_after(const WordCandidate& candidate, const TimePlace& place);
bool comes_by_time(const WordCandidate& a, const WordCandidate& b);
bool comes_by_score(const WordCandidate& a, const WordCandidate& b);

}  // namespace ladder::store::postgres
