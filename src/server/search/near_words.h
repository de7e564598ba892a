// Words that are spelled nearly like one that no record has: a letter more, less, another, or two that changed places, in any
// alphabet. They are searched like any others, so that the answer comes from granted records alone.
#pragma once

#include "store/text/word_query.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::server {

class NearWords {
 public:
  static constexpr std::size_t kMax = 5;

  explicit NearWords(const store::WordTerm& term);

  // Records with any of them; without terms where there are none, as for a phrase or a short word.
  const store::WordQuery& query() const { return query_; }
  // Adds those that the text has, as they stand in it, until there are kMax; where each that was added stands.
  std::vector<store::WordRange> list(std::string_view text, std::vector<std::string>& words) const;

 private:
  store::WordQuery query_;
};

}  // namespace ladder::server
