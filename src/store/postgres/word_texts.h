// Records of several index rows: found term by term, since a record's terms may lie in different rows, and put together here.
//
// The word vectors of long values are not read (but for phrases): such a text is scored by how many of its passages have a term.
// Short texts are scored as if they were in one row, so that a score does not tell how a record is stored.
#pragma once

#include "store/postgres/connection.h"
#include "store/postgres/word_group.h"
#include "store/postgres/word_lookup.h"
#include "store/word_query.h"

#include <cstdint>
#include <map>
#include <unordered_map>
#include <vector>

namespace ladder::store::postgres {

class WordTexts {
 public:
  WordTexts(Connection& connection, const WordQuery& query) : connection_(connection), query_(query) {}

  // Those of the group that match, scored; in no order.
  Result<WordCandidates> find(const WordGroup& group);
  // Few passages of long values that, with the short texts, hold every required term of the text; of every column that has any.
  Result<std::vector<WordPassage>> passages(TextNo text);

 private:
  struct Row {
    std::int64_t passage = 0;
    int column = 0;
    std::uint32_t terms = 0;
  };
  struct Match {
    std::uint32_t terms = 0;  // that it has
    std::vector<Row> rows;    // of long values, one per passage and term until they are merged
    bool together = false;    // two terms stand side by side, or all of them in one passage
    std::int64_t score = 0;
  };
  using Matches = std::unordered_map<TextNo, Match>;

  Result<Matches> match(const WordGroup& group);
  Status require(const WordGroup& group, std::size_t term, bool first, Matches& matches);
  Status exclude(const WordGroup& group, const TextForm& query, Matches& matches);
  static Int8Array numbers(const Matches& matches);
  static void merge_rows(Match& match);
  void score_long(const WordGroup& group, Match& match) const;
  Status score_short(const WordGroup& group, Matches& matches);
  Result<WordCandidates> candidates(const WordGroup& group, Matches& matches);
  std::uint32_t all_terms() const { return static_cast<std::uint32_t>((std::uint64_t{1} << query_.required.size()) - 1); }

  Connection& connection_;
  const WordQuery& query_;
  Matches found_;  // of all groups
};

}  // namespace ladder::store::postgres
