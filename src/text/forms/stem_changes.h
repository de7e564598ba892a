// Changes within a stem: Finnish "katu", "kadun"; Ukrainian "кінь", "коня"; Polish "ręka", "ręce"; Russian "подарок",
// "подарка". The plain stem takes the endings of its language (text/forms/affix_forms.h,
// text/forms/snowball_forms.h), the changed one only a few.
#pragma once

#include "text/forms/function_words.h"

#include <string>
#include <string_view>
#include <vector>

namespace ladder::text {

// For folded letters of the Latin and Cyrillic scripts.
bool is_folded_vowel(char32_t letter);

// The possible plain stems of a folded word, most likely first; at most kMaxPlainStems.
inline constexpr std::size_t kMaxPlainStems = 2;
std::vector<std::u32string> plain_stems(std::u32string_view word, Language language);

// The changed forms of a plain stem, as complete words.
std::vector<std::u32string> changed_forms(std::u32string_view stem, Language language);

}  // namespace ladder::text
