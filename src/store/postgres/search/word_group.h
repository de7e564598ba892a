// The streams of a search that can be asked for with one query: those of one owner in which the same columns count.
#pragma once

#include "store/postgres/engine/batch.h"
#include "store/postgres/engine/wire_values.h"
#include "store/postgres/search/lexemes.h"
#include "store/postgres/search/word_rows.h"
#include "store/postgres/search/word_vectors.h"
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

  // Tells which records are candidates (word_rank.h). False: none can be.
  bool find_by(const WordQuery& query, const WordWeights& weights);

  Int8Array stream_numbers() const;
  const WordStream* find(StreamNo stream) const;
  bool is_few_at_all_times() const;  // few streams, each with all of its places
};

// Makes the group's queries, but for `match`, of these words.
void make_queries(WordGroup& group, const WordQuery& query);

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
  TermCounts counts = {};
  bool in_head = false, folded = false;
  std::int64_t more = 0, alike = 0;  // hits that it stands for
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

// The candidates of a group of streams whose words are one row each, asked for in one of three ways.

using WordCandidates = std::vector<WordCandidate>;

// The place where the walk over a stream goes on: at (place, key) if it is timed, else at the key.
struct WordWalk {
  const WordStream* stream = nullptr;
  TimePlace from;
};

// The share of the group's records that match, about, to tell which way is the cheapest.
Answer ask_probe(Batch& batch, const WordGroup& group);
double read_probe(const Rows& rows);

// How the rows of a group become candidates.
struct WordScoring {
  const WordQuery& query;
  const WordWeights& weights;
  std::span<const WordScope> scopes;
};

// How many of one query there are, up to a limit.
Answer ask_count(Batch& batch, const WordGroup& group, const std::string& query, std::int64_t limit);
// By another query than the group's, in no order and without scores.
Result<WordCandidates> find_records(Connection& connection, const WordGroup& group, const std::string& query);

// By the word index, in no order.
Answer ask_find(Batch& batch, const WordGroup& group, std::int64_t limit);
WordCandidates read_found(const Rows& rows, const WordScoring& scoring, const WordGroup& group);
// By the word index, the next by time from a place and key on.
Result<WordCandidates> find_words_in_order(Connection& connection, const WordScoring& scoring, const WordGroup& group,
                                           const TimePlace& from, std::int64_t limit);
// By time, the next of each stream. The streams are all timed, or none is.
Result<WordCandidates> walk_words(Connection& connection, const WordScoring& scoring, const WordGroup& group,
                                  std::span<const WordWalk> walks, std::int64_t limit_each);

}  // namespace ladder::store::postgres
