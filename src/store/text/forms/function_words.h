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

// The language whose letters the text is written with (ğ, ł, ő), the first where several have them; not folded. Letters of other
// scripts stay when a word is folded.
std::optional<Language> language_of_letters(std::string_view text);

// Adds one to the language whose own letters the text has, or else to each of those that share the letters that it has.
void count_letters(std::string_view text, LanguageCounts& counts);

// The language that one folded word is sought in: by letters of its own, else `told` if that is written with the word's letters,
// else the first that is. None for Latin letters of which nothing is told, and for scripts whose words have no forms.
std::optional<Language> language_of_word(std::string_view folded_word, std::optional<Language> told);

// Languages that a word may be of where nothing tells.
inline constexpr std::array kUsualLanguages = {Language::kEnglish, Language::kGerman, Language::kFrench, Language::kSpanish};

struct ToldLanguage {
  Language language;
  bool sure;  // false: by one word alone, which may be a name or of one of the usual languages

  friend auto operator<=>(const ToldLanguage&, const ToldLanguage&) = default;
};

// The language with the most of its function words among these; none when there are none. `by_letters` (count_letters): words
// that were written with letters of few languages, which count as function words of these. Turkish, for one, has endings where
// others have function words.
std::optional<ToldLanguage> language_of_words(std::span<const std::string_view> folded_words,
                                              const LanguageCounts& by_letters = {});

}  // namespace ladder::store
