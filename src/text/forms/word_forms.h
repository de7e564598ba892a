// Other forms of a search word: "letters" for "letter", "bought" for "buy", "53 500" for "53500". They are computed
// when a query is parsed, from Snowball (text/forms/snowball_forms.h), our own rules
// (text/forms/affix_forms.h, text/forms/turkish_forms.h), stem changes (text/forms/stem_changes.h)
// and a table of irregular words (text/forms/irregular_forms.h). The language is that of the query
// (text/forms/function_words.h). If it is unknown, the languages of the records
// (text/record_languages.h) and the usual ones are tried. So the index stores words unchanged, and a match
// is shown as it is in the text.
#pragma once

#include "text/forms/function_words.h"

#include <optional>
#include <string>
#include <vector>

namespace ladder::text {

inline constexpr std::size_t kMaxWordForms = 40;  // per language, or for all usual languages together
using Languages = std::vector<Language>;

// Returns the forms of one word, folded as in the index, without the word itself. `others`: possible languages of the
// word if its own is unknown.
std::vector<std::string> word_forms(const std::string& word, std::optional<DetectedLanguage> language,
                                    const Languages& others = {});

}  // namespace ladder::text
