// Forms of a word by Snowball (libstemmer): the endings of its language that leave the word's stem as it is, and forms whose stem
// changes (store/text/forms/stem_changes.h), of which Snowball knows nothing. Only languages whose words Snowball stems well when
// they are folded as in the index are here; the others have rules of their own (store/text/forms/affix_forms.h).
#pragma once

#include "store/text/forms/function_words.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ladder::store {

bool has_stemmer(Language language);

// Adds forms of a folded word that Snowball gives the word's stem, until there are `most`.
void add_snowball_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms);

// Adds forms whose stem differs from the word's, until there are `most`.
void add_changed_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms);

}  // namespace ladder::store
