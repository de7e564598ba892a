// Word forms from Snowball (libstemmer): the endings that keep the word's stem, and forms whose stem changes
// (text/forms/stem_changes.h), which Snowball does not support. Covers only languages that Snowball stems well
// when words are folded as in the index; the others use text/forms/affix_forms.h.
#pragma once

#include "text/forms/function_words.h"

#include <cstddef>
#include <string>
#include <vector>

namespace ladder::text {

bool has_stemmer(Language language);

// Adds forms of a folded word with the same Snowball stem, until there are `most`.
void add_snowball_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms);

// Adds forms with a different stem, until there are `most`.
void add_changed_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms);

}  // namespace ladder::text
