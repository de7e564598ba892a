// The languages that records are written in, told by how many of them have some of a language's most usual words. One or two
// words of a question do not tell their language; the records that may be searched do.
#pragma once

#include "store/text/forms/function_words.h"
#include "store/text/word_query.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::store {

inline constexpr std::size_t kMaxRecordLanguages = 5;

enum class Alphabet : std::uint8_t { kLatin, kOther };

// A query to be counted and no more: a term for each language of the alphabet, and a required word that no record can have, so
// that there is no hit to look for.
const WordQuery& language_markers(Alphabet alphabet);

// `counts`: of the terms of language_markers(), records that have each. The most frequent languages first.
std::vector<Language> languages_of_records(Alphabet alphabet, std::span<const std::int64_t> counts);

struct LanguageName {
  std::string_view code, name;  // by ISO 639-1, and in English
};
LanguageName name_of(Language language);

}  // namespace ladder::store
