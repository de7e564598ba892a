// The candidates of a group of streams whose words are one row each, asked for in one of three ways.
#pragma once

#include "store/postgres/connection.h"
#include "store/postgres/word_group.h"

#include <cstdint>
#include <span>
#include <vector>

namespace ladder::store::postgres {

using WordCandidates = std::vector<WordCandidate>;

// Where the walk over a stream goes on: at (place, key) if it is timed, else at the key.
struct WordWalk {
  const WordStream* stream = nullptr;
  TimePlace from;
};

// How large a group is and how common its words are, to tell which way is the cheapest.
struct WordProbe {
  std::int64_t records = 0;
  bool texts = false;  // there are records of several rows
  double share = 0;    // of the records that match, about
};
void queue_probe(Connection& connection, const WordGroup& group);
WordProbe read_probe(const Rows& rows);

// How the rows of a group become candidates.
struct WordScoring {
  const WordQuery& query;
  const WordWeights& weights;
  std::span<const WordScope> scopes;
};

// How many of one query there are, up to a limit.
void queue_count(Connection& connection, const WordGroup& group, const std::string& query, std::int64_t limit);
// By another query than the group's, in no order and without scores.
Result<WordCandidates> find_records(Connection& connection, const WordGroup& group, const std::string& query);

// By the word index, in no order.
Result<WordCandidates> find_words(Connection& connection, const WordScoring& scoring, const WordGroup& group, std::int64_t limit);
// By the word index, the next by time from a place and key on.
Result<WordCandidates> find_words_in_order(Connection& connection, const WordScoring& scoring, const WordGroup& group,
                                           const TimePlace& from, std::int64_t limit);
// By time, the next of each stream. The streams are all timed, or none is.
Result<WordCandidates> walk_words(Connection& connection, const WordScoring& scoring, const WordGroup& group,
                                  std::span<const WordWalk> walks, std::int64_t limit_each);

}  // namespace ladder::store::postgres
