// Forms of a Turkish noun, which takes several endings in a row: plural, possessive, case ("ev", "evler", "evlerinde").
// Vowels of endings follow the word's last vowel, and a final k or p softens before a vowel ("çilek", "çileğe").
// Snowball's Turkish rules need diacritics, but the words of the index are folded ("dugun" and "düğün" are the same),
// where o and ö, u and ü are the same letter. So this file implements the rules for folded words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ladder::text {

// Up to `most` forms of a folded word, the most frequent first: of the word itself and of the word without an ending.
std::vector<std::string> turkish_forms(const std::string& word, std::size_t most);

}  // namespace ladder::text
