// Other forms of a word that is sought: "letters" for "letter", "bought" for "buy", "53 500" for "53500". They are made when a
// query is read, as words that may stand in a text: by Snowball (store/text/forms/snowball_forms.h) and by rules of our own
// (store/text/forms/affix_forms.h, store/text/forms/turkish_forms.h), by stems that change (store/text/forms/stem_changes.h) and
// by a table of irregular words (store/text/forms/irregular_forms.h), for the query's language
// (store/text/forms/function_words.h) and, where it does not tell, for the languages of the records
// (store/text/forms/record_languages.h) and the usual ones. So the index holds words as they are, and what is
// found can be shown as it stands.
#pragma once

#include "store/text/forms/function_words.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kMaxWordForms = 40;  // of one language, or of the usual ones
using Languages = std::vector<Language>;

// Makes the forms of one word, folded as in the index; without the word itself. `others`: languages that the word may be of where
// nothing tells its own.
std::vector<std::string> word_forms(const std::string& word, std::optional<ToldLanguage> language, const Languages& others = {});

}  // namespace ladder::store
