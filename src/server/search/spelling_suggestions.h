// Generates spelling variants of a word that no record contains: one letter added, removed or replaced, or two
// letters swapped, in any alphabet. Variants are searched like other words, so suggestions come from granted records
// only.
#pragma once

#include "text/word_query.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

class SpellingSuggestions {
 public:
  static constexpr std::size_t kMax = 5;

  explicit SpellingSuggestions(const text::WordTerm& term);

  // Matches records with any variant. Has no terms for phrases and short words.
  const text::WordQuery& query() const { return query_; }
  // Adds the variants found in the text, as spelled there, until there are kMax. Returns where each added word is.
  std::vector<text::WordRange> list(std::string_view text, std::vector<std::string>& words) const;

 private:
  text::WordQuery query_;
};

}  // namespace ladder::server
