// Computes the expected search results by scanning the words of every text. Only the tokenizer is shared with the
// product; its own tests are src/text/words_test.cpp.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace ladder::test_support {

struct AskedTerm {
  std::string text;  // words as typed
  bool quoted = false;
  bool prefix = false;
  bool excluded = false;
};

// Formats the terms as a typed query.
std::string query_text(const std::vector<AskedTerm>& terms);

// Returns true if a record with these texts matches: each term that is not excluded occurs in one of them, no excluded
// one does.
bool plainly_matches(const std::vector<AskedTerm>& terms, const std::vector<std::string>& texts);
// Returns true if the term occurs in the text.
bool plainly_in(const AskedTerm& term, const std::string& text);

// Returns a random term, usually from the texts: some consecutive words, a prefix of one, or an absent word.
AskedTerm random_term(std::mt19937& random, const std::vector<std::string>& texts);

// Sentences in twelve scripts, some with common words.
const std::vector<std::string>& sentences();

}  // namespace ladder::test_support
