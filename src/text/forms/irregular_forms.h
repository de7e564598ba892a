// Irregular forms: "mouse", "mice"; "buy", "bought"; "день", "дня".
#pragma once

#include "text/forms/function_words.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::text {

// The other forms of a folded word in the language's table; none for most words.
std::vector<std::string> irregular_forms(std::string_view word, Language language);

// All words that have irregular forms.
std::vector<std::string> known_irregular_forms(Language language);

}  // namespace ladder::text
