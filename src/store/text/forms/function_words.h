// Function words ("the", "where", "und", "quels") per language. They indicate the language of a text or question, but
// not its subject. Folded as in the index (store/text/words.h).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace ladder::store {

// Languages that have a list; the order decides ties.
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
  kBulgarian,
  kSerbian,
  kCroatian,
  kSlovenian,
  kSlovak,
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

// The language whose letters the text uses (ğ, ł, ő), the first if several use them; not folded. Folding keeps letters
// of other scripts.
std::optional<Language> language_of_letters(std::string_view text);

// Adds one to the language whose unique letters the text has, or else to each language that shares its letters.
void count_letters(std::string_view text, LanguageCounts& counts);

// The language used to search for one folded word: a language with letters of the word that are unique to it; else
// `detected` if it is written with the word's letters; else the first such language. Returns nullopt for Latin letters if
// `detected` is not set, and for scripts whose words have no forms.
std::optional<Language> language_of_word(std::string_view folded_word, std::optional<Language> detected);

// Languages to try for a word of unknown language.
inline constexpr std::array kUsualLanguages = {Language::kEnglish, Language::kGerman, Language::kFrench, Language::kSpanish};

struct DetectedLanguage {
  Language language;
  bool sure;  // false: based on a single word, which may be a name or of one of the usual languages

  friend auto operator<=>(const DetectedLanguage&, const DetectedLanguage&) = default;
};

// The language with the most function words among these; nullopt if there are none. `by_letters` (count_letters): words
// written with letters of few languages count as function words of those. Turkish, for example, uses endings instead of
// function words.
std::optional<DetectedLanguage> language_of_words(std::span<const std::string_view> folded_words,
                                                  const LanguageCounts& by_letters = {});

}  // namespace ladder::store
