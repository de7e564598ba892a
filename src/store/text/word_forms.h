// Other forms of a word that is sought: "letters" for "letter", "53 500" for "53500". They are made when a query is read, as
// words that may stand in a text: endings of the query's language (store/text/function_words.h), or of several where it does not
// tell, as far as Snowball gives the result the same stem. Turkish has rules of its own (store/text/turkish_forms.h), and so have
// languages whose affixes are told without a stemmer (store/text/affix_forms.h). So the index holds words as they are, and what
// is found can be shown as it stands.
#pragma once

#include "store/text/function_words.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kMaxWordForms = 40;

// Of one word, folded as in the index; without the word itself.
std::vector<std::string> word_forms(const std::string& word, std::optional<ToldLanguage> language);

// Groups of digits ("53", "500") as one number, or nothing when they are none.
std::optional<std::string> joined_digits(const std::vector<std::string>& words);

}  // namespace ladder::store
