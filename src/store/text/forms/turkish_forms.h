// Forms of a Turkish noun, which takes its endings one behind the other: plural, possessive, case ("ev", "evler", "evlerinde").
// Their vowels follow the word's last one, and a final k or p softens before a vowel ("çilek", "çileğe"). Snowball's rules for
// Turkish take words as they are written; those of the index are folded ("dugun" and "düğün" are one word there), where
// o and ö, u and ü cannot be told apart. So the rules are written down here for folded words.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ladder::store {

// Up to `most` forms of a folded word, the most frequent first: of the word as it stands, and of what is left without an ending.
std::vector<std::string> turkish_forms(const std::string& word, std::size_t most);

}  // namespace ladder::store
