// The words that hold a sentence together ("the", "where", "und", "quels"), per language: they tell which language a text or a
// question is in, and say nothing of what it is about. Folded as in the index (store/text/words.h).
#pragma once

#include <array>
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
  kPolish,
  kCzech,
  kHungarian,
  kRomanian,
  kUkrainian,
  kGreek,
  kHebrew,
  kArabic,
  kKorean,
  kHindi,
  kCatalan,
  kBasque,
  kIndonesian,
  kIrish,
  kLithuanian,
  kLatvian,
  kEstonian,
  kSerbian,
  kCroatian,
  kSlovenian,
  kSlovak,
  kBulgarian,
  kPersian,
  kYiddish,
  kArmenian,
  kTamil,
  kNepali,
  kVietnamese,
};
inline constexpr std::size_t kLanguages = 41;
using LanguageCounts = std::array<int, kLanguages>;  // by Language

bool is_function_word(Language language, std::string_view folded_word);

// The language whose own letters the text is written with (ğ, ł, ő); not folded, except for Ukrainian's, which stay.
std::optional<Language> language_of_letters(std::string_view text);

// The language that one folded word is sought in: by letters of its own, else `told` if that is written with the word's letters,
// else the first that is. None for Latin letters of which nothing is told, and for scripts whose words have no forms.
std::optional<Language> language_of_word(std::string_view folded_word, std::optional<Language> told);

// The language with the most of its function words among these; none when there are none. `by_letters`: words that were written
// with letters of one language alone, which count as its function words. Turkish, for one, has endings where others have function
// words.
std::optional<Language> language_of_words(std::span<const std::string_view> folded_words, const LanguageCounts& by_letters = {});

}  // namespace ladder::store
