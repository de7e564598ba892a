// Records of several index rows: a record's terms may lie in different rows, which are put together here. Scores do not tell how
// a record is stored.
#pragma once

#include "store/postgres/engine/connection.h"
#include "store/postgres/search/word_group.h"
#include "store/text/word_query.h"

#include <cstdint>
#include <set>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

class WordTexts {
 public:
  WordTexts(Connection& connection, const WordQuery& query) : connection_(connection), query_(query) {}

  // Records of the group that have the term, without scores.
  Result<WordCandidates> find_records(const WordGroup& group, const std::string& term_query);
  // Returns the matching records of the group, scored; in no order.
  Result<WordCandidates> find(const WordScoring& scoring, const WordGroup& group);
  // Few passages of long values that, with the short texts, hold every term that the text has.
  Result<std::vector<WordPassage>> passages(TextNo text);

 private:
  struct Row {
    std::int64_t passage = 0;
    std::uint32_t terms = 0;
    std::int32_t score = 0;
  };
  struct Match {
    WordAccumulator accumulator;
    std::vector<Row> rows;  // of long values
  };
  using Matches = std::unordered_map<TextNo, Match>;
  using Texts = std::set<TextNo>;

  Result<Texts> find_texts(const WordGroup& group, const std::string& query, const Texts* among);
  Result<Texts> candidate_texts(const WordScoring& scoring, const WordGroup& group);
  Result<WordCandidates> records_of(const WordGroup& group, const Texts& texts);
  Status read(const WordScoring& scoring, const WordGroup& group, const Texts& texts);

  Connection& connection_;
  const WordQuery& query_;
  Matches found_;  // of all groups
};

}  // namespace ladder::store::postgres
