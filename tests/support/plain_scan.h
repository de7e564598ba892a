// Finds what a search must find, the plain way: by the words of every text, one after the other. Only the tokenizer is shared
// with the product; its own tests are src/store/text/words_test.cpp.
#pragma once

#include <random>
#include <string>
#include <vector>

namespace ladder::test_support {

struct AskedTerm {
  std::string text;  // words, as they would be typed
  bool quoted = false;
  bool prefix = false;
  bool excluded = false;
};

// As a person types it.
std::string query_text(const std::vector<AskedTerm>& terms);

// True if a record with these texts matches: every term that is not excluded lies in one of them, no excluded one does.
bool plainly_matches(const std::vector<AskedTerm>& terms, const std::vector<std::string>& texts);
// True if the term lies in the text.
bool plainly_in(const AskedTerm& term, const std::string& text);

// A term made of what is in the texts, mostly: some words in a row, a beginning of one, or a word that is nowhere.
AskedTerm random_term(std::mt19937& random, const std::vector<std::string>& texts);

// Sentences in twelve scripts, some with the same words.
const std::vector<std::string>& sentences();

}  // namespace ladder::test_support
