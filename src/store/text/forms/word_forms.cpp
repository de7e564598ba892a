#include "store/text/forms/word_forms.h"

#include "base/text/utf8.h"
#include "store/text/forms/affix_forms.h"
#include "store/text/forms/irregular_forms.h"
#include "store/text/forms/number_forms.h"
#include "store/text/forms/snowball_forms.h"
#include "store/text/forms/turkish_forms.h"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>

namespace ladder::store {
namespace {

bool begins_latin(std::string_view word) { return static_cast<unsigned char>(word[0]) < 0x80; }

constexpr std::size_t kShortestWord = 3;    // bytes; shorter words have only irregular forms
constexpr std::size_t kMaxBySnowball = 24;  // forms, not counting irregular words and changed stems
constexpr std::size_t kMaxChanged = 14;     // forms with a changed stem
constexpr std::size_t kMaxUnsure = 24;      // forms for a language detected from a single word
constexpr std::size_t kMaxOfTwo = 16;  // forms, which leaves some for words that may be in another language than the question

void add_all(const std::vector<std::string>& made, const std::string& word, std::vector<std::string>& forms) {
  for (const std::string& form : made) {
    const bool known = form == word || std::ranges::find(forms, form) != forms.end();
    if (!known && forms.size() < kMaxWordForms) forms.push_back(form);
  }
}

// The tokenizer does not fold letters with a stroke, and keyboards of one language lack letters of another. `plain` is
// typed for `own`, and vice versa.
struct Spelling {
  Language language;
  char32_t own, plain;
  bool first_only;  // of a word
};

constexpr std::array<Spelling, 9> kSpellings = {{
    {Language::kVietnamese, U'đ', U'd', true},
    {Language::kPolish, U'ł', U'l', false},
    {Language::kTurkish, U'ı', U'i', false},
    {Language::kDanish, U'ø', U'o', false},
    {Language::kNorwegian, U'ø', U'o', false},
    {Language::kCroatian, U'đ', U'd', false},
    {Language::kPersian, U'ی', U'ي', false},
    {Language::kPersian, U'ک', U'ك', false},
    {Language::kUkrainian, U'ґ', U'г', false},
}};

constexpr std::size_t kLongestSyllable = 6;  // letters of a syllable that begins with đ; a Vietnamese word is a syllable

// Adds the word with all of its letters exchanged, as others would type it.
void add_spellings(const std::string& word, Language language, std::vector<std::string>& forms) {
  const std::u32string letters = utf8::decode(word);
  if (language == Language::kVietnamese && letters.size() > kLongestSyllable) return;
  const auto exchanged = [&](bool to_own) {
    std::u32string made = letters;
    for (const Spelling& each : kSpellings) {
      if (each.language != language) continue;
      const auto end = each.first_only ? made.begin() + 1 : made.end();
      std::replace(made.begin(), end, to_own ? each.plain : each.own, to_own ? each.own : each.plain);
    }
    return utf8::encode(made);
  };
  add_all({exchanged(true), exchanged(false)}, word, forms);
}

// The forms of a word in one language.
std::vector<std::string> forms_in(const std::string& word, Language language) {
  std::vector<std::string> forms;
  add_spellings(word, language == Language::kArabic ? Language::kPersian : language, forms);
  add_all(irregular_forms(word, language), word, forms);
  if (has_affixes(language)) add_all(affix_forms(word, language, kMaxWordForms), word, forms);
  if (has_stemmer(language)) {
    add_changed_forms(language, word, std::min(kMaxWordForms, forms.size() + kMaxChanged), forms);
    add_snowball_forms(language, word, std::min(kMaxWordForms, forms.size() + kMaxBySnowball), forms);
  }
  return forms;
}

// The forms of a Latin word of unknown language.
void add_usual_forms(const std::string& word, std::size_t most, std::vector<std::string>& forms) {
  for (const Language usual : kUsualLanguages) add_snowball_forms(usual, word, most, forms);
  for (const Language usual : kUsualLanguages) add_all(irregular_forms(word, usual), word, forms);
  add_spellings(word, Language::kVietnamese, forms);  // without diacritics, few Vietnamese words can be recognized as such
}

// Irregular forms ("went" for "go") in each possible language of the word.
std::vector<std::string> forms_of_short(const std::string& word, std::optional<Language> language, const Languages& others) {
  std::vector<std::string> forms;
  std::vector<Language> all(kUsualLanguages.begin(), kUsualLanguages.end());
  if (language) all.assign(1, *language);
  else all.insert(all.end(), others.begin(), others.end());
  for (const Language each : all) add_all(irregular_forms(word, each), word, forms);
  return forms;
}

// Adds the forms of a word in another language of the records.
void add_forms_in(const std::string& word, Language language, std::vector<std::string>& forms) {
  if (language_of_word(word, language) != language) return;
  std::vector<std::string> made = language == Language::kTurkish ? turkish_forms(word, kMaxOfTwo) : forms_in(word, language);
  made.resize(std::min(made.size(), kMaxUnsure));
  for (std::string& form : made) {
    if (std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  }
}

std::vector<std::string> make_forms(const std::string& word, std::optional<DetectedLanguage> detected, const Languages& others) {
  std::vector<std::string> forms;
  if (are_digits(word)) return number_forms({&word, 1});
  if (std::ranges::any_of(word, [](char c) { return c >= '0' && c <= '9'; })) return forms;
  const auto question = detected ? std::optional(detected->language) : std::nullopt;
  const std::optional<Language> language = language_of_word(word, question);
  if (word.size() < kShortestWord) return forms_of_short(word, language, others);
  std::size_t most = kMaxBySnowball;
  if (language == Language::kTurkish) {
    forms = turkish_forms(word, kMaxOfTwo);
    add_spellings(word, *language, forms);
  } else if (language) {
    forms = forms_in(word, *language);
    if (detected == std::nullopt || detected->sure || !begins_latin(word)) return forms;
    forms.resize(std::min(forms.size(), kMaxUnsure));
    most = kMaxWordForms;
  } else if (question == Language::kKorean) {
    forms = affix_forms(word, *question, kMaxOfTwo);  // "Rust를" is one word
  }
  if (begins_latin(word)) add_usual_forms(word, most, forms);
  if (!detected) {
    for (const Language each : others) add_forms_in(word, each, forms);
  }
  return forms;
}

// A per-thread cache of recent forms. The next page of a search and a refined question use the same words, and
// computing the forms of a word takes about two hundred stems.
constexpr std::size_t kMaxKept = 256;

struct CacheKey {
  std::string word;
  std::optional<DetectedLanguage> language;
  Languages others;

  friend auto operator<=>(const CacheKey&, const CacheKey&) = default;
};

}  // namespace

std::vector<std::string> word_forms(const std::string& word, std::optional<DetectedLanguage> language, const Languages& others) {
  thread_local std::map<CacheKey, std::vector<std::string>> kept;
  const CacheKey asked{word, language, others};
  if (const auto at = kept.find(asked); at != kept.end()) return at->second;
  if (kept.size() >= kMaxKept) kept.clear();
  return kept.emplace(asked, make_forms(word, language, others)).first->second;
}

}  // namespace ladder::store
