// The streams of a search that can be asked for with one query: those of one owner in which the same columns count.
#pragma once

#include "store/postgres/lexemes.h"
#include "store/postgres/wire.h"
#include "store/postgres/word_rows.h"
#include "store/postgres/word_vectors.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ladder::store::postgres {

// Places are of words.place.
struct WordStream {
  StreamNo no = 0;
  std::size_t scope = 0;
  bool timed = false;
  std::int64_t low = 0, high = 0;  // places that count
};

struct WordGroup {
  OwnerNo owner = 0;
  WordColumns columns = 0;
  const WordScope* scope = nullptr;  // one of them, for the columns and their weight
  std::vector<WordStream> streams;   // by number

  std::vector<std::optional<std::string>> terms, excluded;  // a query per term; none where it counts in no column
  TextForm match;                                           // of records whose words are one row
  TextForm any;                                             // a row with any term
  TextForm lexemes;                                         // that the rows are asked for
  std::shared_ptr<VectorReader> reader;

  // Which records are candidates (word_rank.h). False: none can be.
  bool find_by(const WordQuery& query, const WordWeights& weights);

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
  TextNo text = 0;   // of several rows
  bool all = false;  // it has every term
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
bool comes_before(WordOrder order, const WordCandidate& a, const WordCandidate& b);

}  // namespace ladder::store::postgres
