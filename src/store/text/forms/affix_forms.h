// Forms of a word in languages that Snowball does not know, or knows only by how words are written with their marks: particles of
// Korean ("회의", "회의는"), articles and prepositions of Arabic and Hebrew ("בית", "הבית"), endings of Polish, Czech, Ukrainian,
// Hungarian, Romanian, Greek, Hindi and others. An affix is taken off, as far as a stem is left, and each other one is put on.
#pragma once

#include "store/text/forms/function_words.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store {

bool has_affixes(Language language);

// Up to `most` forms of a folded word, the most frequent first; none when the language is none of these.
std::vector<std::string> affix_forms(const std::string& word, Language language, std::size_t most);

}  // namespace ladder::store
