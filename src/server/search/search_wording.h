// A wording of a search: the question as it was asked, or one of its further wordings. A long question is reduced to its most
// informative words, and a word that no granted record has is replaced by the words that are spelled nearly the same. Both
// are decided on the first page from granted records alone (design D5), and the cursor carries the decision.
#pragma once

#include "store/text/forms/compounds.h"
#include "store/text/word_query.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ladder::server {

// Terms that are counted before the most informative ones are chosen.
inline constexpr std::size_t kMaxCountedTerms = 256;

struct Correction {
  std::uint8_t term = 0;           // of the chosen ones
  std::vector<std::string> words;  // as in the index

  friend bool operator==(const Correction&, const Correction&) = default;
};

// A compound that few records have is also sought by its parts.
struct Split {
  std::uint8_t term = 0;  // of the chosen ones
  store::CompoundParts parts;

  friend bool operator==(const Split&, const Split&) = default;
};

struct QueryChanges {
  std::vector<std::uint8_t> chosen;  // terms, ascending; empty: all of them
  std::vector<Correction> corrections = {};
  std::vector<Split> splits = {};
  std::vector<store::Language> languages = {};  // of the records, for the forms of words

  friend bool operator==(const QueryChanges&, const QueryChanges&) = default;
};

// A question has more terms than a search takes.
bool has_surplus(const store::WordQuery& query);

// The terms to keep: what must occur, then those that the fewest records have, and that the question repeats. A term without any
// record is the first to go. `counts`: of each term, granted records that have it.
std::vector<std::uint8_t> most_informative(const store::WordQuery& query, std::span<const std::int64_t> counts);

// A term for a part of a compound, which the compound itself and its forms stand for, too.
store::WordTerm part_term(const store::WordTerm& compound, const std::string& part,
                          const std::vector<store::Language>& languages);

// Applies the changes; false if they are not of this query. Terms that are not chosen are left out by name, and parts of
// compounds follow the others. The languages are those that its terms have forms of.
bool apply(const QueryChanges& changes, store::WordQuery& query);

// The words to seek in place of one that no record has, as in the index: at most three of those that were found to be spelled
// nearly the same, and only those with the same first letter if there are any.
std::vector<std::string> corrected_words(const store::WordTerm& term, const std::vector<std::string>& near);

}  // namespace ladder::server
