// Word forms for languages that Snowball does not support, or supports only with diacritics: particles of Korean ("회의",
// "회의는"), articles and prepositions of Arabic and Hebrew ("בית", "הבית"), endings of Polish, Czech, Ukrainian,
// Hungarian, Romanian, Greek, Hindi and others. Removes an affix if enough of a stem remains, and adds every other one.
#pragma once

#include "text/forms/function_words.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::text {

bool has_affixes(Language language);

// Up to `most` forms of a folded word, the most frequent first; none for other languages.
std::vector<std::string> affix_forms(const std::string& word, Language language, std::size_t most);

}  // namespace ladder::text
