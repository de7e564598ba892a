#include "text/forms/function_words.h"

#include "base/text/utf8.h"
#include "text/forms/tables.h"

#include <algorithm>
#include <array>
#include <unordered_map>

namespace ladder::text {
namespace {

using Set = std::uint64_t;  // a bit per language

struct Letters {
  Language language;
  std::u32string_view letters;
  std::u32string_view unless_before = {};  // unless one of these follows: Russian has ъ only before vowels
};

// Letters that few other languages use; those of the first kOwnLetters rows are almost unique to their language.
constexpr std::size_t kOwnLetters = 13;
constexpr std::array<Letters, 23> kLetters = {{
    {Language::kTurkish, U"ğĞıİşŞ"},
    {Language::kPolish, U"łŁżŻśŚźŹńŃ"},
    {Language::kCzech, U"řŘěĚůŮ"},
    {Language::kHungarian, U"őŐűŰ"},
    {Language::kRomanian, U"șȘțȚ"},
    {Language::kUkrainian, U"іІїЇєЄґҐ"},
    {Language::kLithuanian, U"ėĖųŲįĮ"},
    {Language::kLatvian, U"ģĢķĶļĻņŅāĀēĒīĪ"},
    {Language::kSlovak, U"ľĽĺĹŕŔ"},
    {Language::kSerbian, U"јЈљЉњЊћЋђЂџЏ"},
    {Language::kBulgarian, U"ъЪ", U"еёюяЕЁЮЯ"},
    {Language::kPersian, U"پچژگکی"},
    {Language::kVietnamese,
     U"ơưạảấầẩẫậắằẳẵặẹẻẽếềểễệỉịọỏốồổỗộớờởỡợụủứừửữựỳỵỷỹ"
     U"ƠƯẠẢẤẦẨẪẬẮẰẲẴẶẸẺẼẾỀỂỄỆỈỊỌỎỐỒỔỖỘỚỜỞỠỢỤỦỨỪỬỮỰỲỴỶỸ"},
    // Letters shared by several languages; function words decide among them, or the order of this table.
    {Language::kSwedish, U"åÅ"},
    {Language::kPolish, U"ąĄęĘćĆ"},
    {Language::kDanish, U"øØæÆåÅ"},
    {Language::kNorwegian, U"øØæÆåÅ"},
    {Language::kCzech, U"čČšŠžŽďĎťŤňŇ"},
    {Language::kCroatian, U"čČšŠžŽćĆđĐ"},
    {Language::kSlovak, U"čČšŠžŽďĎťŤňŇ"},
    {Language::kSlovenian, U"čČšŠžŽ"},
    {Language::kLithuanian, U"čČšŠžŽąĄęĘūŪ"},
    {Language::kLatvian, U"čČšŠžŽūŪ"},
}};

bool is_written_with(const Letters& each, std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const char32_t letter = utf8::next(text, at);
    if (letter < 0x80 || !each.letters.contains(letter)) continue;
    std::size_t behind = at;
    if (at == text.size() || !each.unless_before.contains(utf8::next(text, behind))) return true;
  }
  return false;
}

struct Script {
  char32_t first, last;
  std::array<std::optional<Language>, 4> languages;  // the first is the default
};

// Scripts of languages not written in Latin letters.
constexpr std::array<Script, 8> kScripts = {{
    {0x0370, 0x03FF, {Language::kGreek}},
    {0x0400, 0x052F, {Language::kRussian, Language::kUkrainian, Language::kSerbian, Language::kBulgarian}},
    {0x0530, 0x058F, {Language::kArmenian}},
    {0x0590, 0x05FF, {Language::kHebrew, Language::kYiddish}},
    {0x0600, 0x06FF, {Language::kArabic, Language::kPersian}},
    {0x0900, 0x097F, {Language::kHindi, Language::kNepali}},
    {0x0B80, 0x0BFF, {Language::kTamil}},
    {0xAC00, 0xD7A3, {Language::kKorean}},
}};

bool is_of(const Script& script, Language language) {
  return std::ranges::find(script.languages, std::optional(language)) != script.languages.end();
}

bool is_latin(Language language) {
  return std::ranges::none_of(kScripts, [&](const Script& each) { return is_of(each, language); });
}

bool is_usual(Language language) { return std::ranges::find(kUsualLanguages, language) != kUsualLanguages.end(); }

bool is_latin_letter(char32_t c) { return (c >= 'a' && c <= 'z') || (c >= 0xC0 && c <= 0x24F) || (c >= 0x1E00 && c <= 0x1EFF); }

const std::unordered_map<std::string_view, Set>& table() {
  static const auto made = [] {
    std::unordered_map<std::string_view, Set> sets;
    each_row(FormTable::kFunctionWords, [&](Language language, std::string_view row) {
      for (const std::string_view word : words_in(row)) sets[word] |= Set{1} << static_cast<unsigned>(language);
    });
    return sets;
  }();
  return made;
}

Set languages_of(std::string_view word) {
  const auto found = table().find(word);
  return found == table().end() ? 0 : found->second;
}

}  // namespace

bool is_function_word(Language language, std::string_view folded_word) {
  return (languages_of(folded_word) >> static_cast<unsigned>(language) & 1) != 0;
}

std::optional<Language> language_of_letters(std::string_view text) {
  const auto found = std::ranges::find_if(kLetters, [&](const Letters& each) { return is_written_with(each, text); });
  return found == kLetters.end() ? std::nullopt : std::optional(found->language);
}

void count_letters(std::string_view text, LanguageCounts& counts) {
  const auto own = std::span(kLetters).first(kOwnLetters);
  const auto found = std::ranges::find_if(own, [&](const Letters& each) { return is_written_with(each, text); });
  if (found != own.end()) {
    ++counts[static_cast<std::size_t>(found->language)];
    return;
  }
  for (const Letters& each : std::span(kLetters).subspan(kOwnLetters)) {
    if (is_written_with(each, text)) ++counts[static_cast<std::size_t>(each.language)];
  }
}

std::optional<Language> language_of_word(std::string_view folded_word, std::optional<Language> detected) {
  if (folded_word.empty()) return std::nullopt;
  std::size_t at = 0;
  const char32_t first = utf8::next(folded_word, at);
  const auto script =
      std::ranges::find_if(kScripts, [&](const Script& each) { return first >= each.first && first <= each.last; });
  if (script == kScripts.end()) {
    return detected && is_latin(*detected) && is_latin_letter(first) ? detected : std::nullopt;
  }
  if (const auto own = language_of_letters(folded_word); own && is_of(*script, *own)) return own;
  return detected && is_of(*script, *detected) ? detected : script->languages.front();
}

std::optional<DetectedLanguage> language_of_words(std::span<const std::string_view> folded_words,
                                                  const LanguageCounts& by_letters) {
  LanguageCounts counts = by_letters;
  for (const std::string_view word : folded_words) {
    const Set in = languages_of(word);
    for (std::size_t language = 0; language < kLanguages; ++language) counts[language] += static_cast<int>(in >> language & 1);
  }
  const auto best = std::ranges::max_element(counts);  // the first of equals
  if (*best == 0) return std::nullopt;
  const auto at = static_cast<std::size_t>(best - counts.begin());
  const auto language = static_cast<Language>(at);
  constexpr int kSomeWords = 2;
  return DetectedLanguage{language, *best >= kSomeWords || is_usual(language) || !is_latin(language)};
}

}  // namespace ladder::text
