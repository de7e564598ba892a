// A wording of a search: the question itself or one of its further wordings. A long question is reduced to its most
// informative words, and a word that no granted record has is replaced by words with a similar spelling. The first
// page decides both from granted records only (design D5), and the cursor carries the decision.
#pragma once

#include "text/forms/compounds.h"
#include "text/word_query.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ladder::server {

// Maximum number of terms that are counted before the most informative ones are chosen.
inline constexpr std::size_t kMaxCountedTerms = 256;

struct Correction {
  std::uint8_t term = 0;           // index into the chosen terms
  std::vector<std::string> words;  // as in the index

  friend bool operator==(const Correction&, const Correction&) = default;
};

// A compound that few records contain is also searched by its parts.
struct Split {
  std::uint8_t term = 0;  // index into the chosen terms
  text::CompoundParts parts;

  friend bool operator==(const Split&, const Split&) = default;
};

struct QueryChanges {
  std::vector<std::uint8_t> chosen;  // terms, ascending; empty: all of them
  std::vector<Correction> corrections = {};
  std::vector<Split> splits = {};
  std::vector<text::Language> languages = {};  // languages of the records, used for word forms

  friend bool operator==(const QueryChanges&, const QueryChanges&) = default;
};

// Returns true if the question has more terms than a search accepts.
bool has_surplus(const text::WordQuery& query);

// Chooses the terms to keep: required terms first, then the rarest and those repeated in the question. Terms without
// any record are dropped first. `counts`: the number of granted records with each term.
std::vector<std::uint8_t> most_informative(const text::WordQuery& query, std::span<const std::int64_t> counts);

// Builds a term for one part of a compound. The compound and its forms also match it.
text::WordTerm part_term(const text::WordTerm& compound, const std::string& part, const std::vector<text::Language>& languages);

// Applies the changes; returns false if they don't belong to this query. Terms that were not chosen are listed as
// left out, and compound parts are appended. The languages of `changes` are those whose word forms the terms include.
bool apply(const QueryChanges& changes, text::WordQuery& query);

// Returns up to three replacements for a word that no record has, as in the index. If some similar words share its
// first letter, only those are used.
std::vector<std::string> corrected_words(const text::WordTerm& term, const std::vector<std::string>& near);

}  // namespace ladder::server
