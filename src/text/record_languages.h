// Detects the languages of the records by counting records with the most common words of each language. One or two
// words of a question do not reveal their language; the searchable records do.
#pragma once

#include "text/forms/function_words.h"
#include "text/word_query.h"

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace ladder::text {

inline constexpr std::size_t kMaxRecordLanguages = 5;

enum class Alphabet : std::uint8_t { kLatin, kOther };

// A query for counting only: a term for each language of the alphabet, and a required word that no record can contain,
// so that it has no hits.
const WordQuery& language_markers(Alphabet alphabet);

// `counts`: the number of records for each term of language_markers(). Most frequent languages first.
std::vector<Language> languages_of_records(Alphabet alphabet, std::span<const std::int64_t> counts);

}  // namespace ladder::text
