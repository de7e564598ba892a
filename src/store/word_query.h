// The query syntax: words, "quoted phrases", prefix*, -excluded. Words are ANDed. A hyphen excludes what follows it right after
// white space or at the beginning; a star counts right after a word or a closing quote. Curly, low, angled and full-width quotes,
// the full-width hyphen and the full-width star do as well. Anything else (punctuation, a lone quote or hyphen) only separates. A
// run that makes several words ("foo-bar", "東京") is a phrase of them; an unquoted one of over kLongestPhrase words is asked for
// as several phrases of that many.
#pragma once

#include "base/result.h"
#include "store/words.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kMaxWordQueryChars = 1024;
inline constexpr std::size_t kMaxWordTerms = 32;  // required and excluded together

// Words at consecutive positions, each as it stands in the index (store/passages.h): inside a run of characters written without
// spaces the pair that begins there, behind kPairMark; at the end of the run, or of the term, the single character.
struct WordTerm {
  std::vector<std::string> words;  // 1 to kLongestPhrase
  bool prefix = false;             // the last word may go on; never set for a single character, which cannot

  friend auto operator<=>(const WordTerm&, const WordTerm&) = default;
};

struct WordQuery {
  std::vector<WordTerm> required;  // at least one; none twice
  std::vector<WordTerm> excluded;

  friend bool operator==(const WordQuery&, const WordQuery&) = default;
};

// kInvalidRequest with param "q": empty, too long, too many terms, a quoted or excluded phrase of over kLongestPhrase words, no
// word that is asked for (only exclusions or punctuation), invalid UTF-8. The message says the way out.
Result<WordQuery> parse_word_query(std::string_view text);

// Where a term lies in a text: chars [start, end) from its first.
struct WordRange {
  std::size_t term = 0;  // of the query's required ones
  std::int64_t start = 0;
  std::int64_t end = 0;

  friend auto operator<=>(const WordRange&, const WordRange&) = default;
};

// Every place where a required term lies in the text, by ascending start; at most `limit` of one term. A phrase does not reach
// across a gap of over kMaxWordGapChars, as in the index.
std::vector<WordRange> find_terms(const WordQuery& query, std::string_view valid_utf8, std::size_t limit);

}  // namespace ladder::store
