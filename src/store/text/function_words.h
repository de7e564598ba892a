// The words that hold a sentence together ("the", "where", "und", "quels"), per language: they tell which language a text or a
// question is in, and say nothing of what it is about. Folded as in the index (store/text/words.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ladder::store {

// Languages that have a list; the order decides where two are as likely.
enum class Language : std::uint8_t {
  kEnglish,
  kGerman,
  kFrench,
  kSpanish,
  kItalian,
  kPortuguese,
  kDutch,
  kSwedish,
  kDanish,
  kNorwegian,
  kFinnish,
  kTurkish,
  kRussian,
};
inline constexpr std::size_t kLanguages = 13;

bool is_function_word(Language language, std::string_view folded_word);

// The language with the most of its function words among these; none when there are none. `turkish`: words that were written with
// letters of Turkish alone, which count as its function words: Turkish has endings where others have function words.
std::optional<Language> language_of_words(std::span<const std::string_view> folded_words, int turkish = 0);

}  // namespace ladder::store
