#include "text/forms/snowball_forms.h"

#include "base/text/utf8.h"
#include "text/forms/stem_changes.h"
#include "text/forms/tables.h"

#include <libstemmer.h>

#include <algorithm>
#include <array>
#include <memory>
#include <ranges>
#include <string_view>

namespace ladder::text {
namespace {

// The endings of the language, with the most frequent first; empty if it has no stemmer.
const std::vector<std::string_view>& endings_of(Language language) {
  static const auto made = [] {
    std::array<std::vector<std::string_view>, kLanguages> all;
    each_row(FormTable::kEndings, [&](Language each, std::string_view row) {
      const std::vector<std::string_view> endings = words_in(row);
      all[static_cast<std::size_t>(each)].insert(all[static_cast<std::size_t>(each)].end(), endings.begin(), endings.end());
    });
    return all;
  }();
  return made[static_cast<std::size_t>(language)];
}

class Stemmer {
 public:
  explicit Stemmer(const char* name) : stemmer_(sb_stemmer_new(name, "UTF_8"), sb_stemmer_delete) {}

  std::string stem(std::string_view word) const {
    const auto* const made =
        sb_stemmer_stem(stemmer_.get(), reinterpret_cast<const sb_symbol*>(word.data()), static_cast<int>(word.size()));
    if (made == nullptr) return std::string(word);
    return {reinterpret_cast<const char*>(made), static_cast<std::size_t>(sb_stemmer_length(stemmer_.get()))};
  }

 private:
  std::unique_ptr<sb_stemmer, void (*)(sb_stemmer*)> stemmer_;
};

// One stemmer for each language and each thread: they are not thread-safe.
const Stemmer& stemmer_of(Language language) {
  thread_local std::array<std::unique_ptr<Stemmer>, kLanguages> stemmers;
  std::unique_ptr<Stemmer>& stemmer = stemmers[static_cast<std::size_t>(language)];
  if (!stemmer) stemmer = std::make_unique<Stemmer>(std::string(name_of(language).code).c_str());
  return *stemmer;
}

constexpr std::size_t kShortestStem = 3;     // bytes
constexpr std::size_t kShortestPlain = 2;    // letters
constexpr std::size_t kEndingsOfPlain = 18;  // the first of a list are the endings of nouns

bool is_ascii_letter(char c) { return c >= 'a' && c <= 'z'; }

// The stem as it may appear before an ending: unchanged, with its last letter doubled ("run", "running"), with y for i
// ("studi", "study"), with a double consonant that Snowball shortened ("jaru", "jarrut").
std::vector<std::string> beginnings(const std::string& stem, const std::string& word) {
  std::vector<std::string> all = {stem};
  const char last = stem.back();
  if (is_ascii_letter(last) && !is_folded_vowel(static_cast<char32_t>(last))) all.push_back(stem + last);
  if (last == 'i') all.push_back(stem.substr(0, stem.size() - 1) + "y");
  const auto other = static_cast<std::size_t>(std::ranges::mismatch(stem, word).in1 - stem.begin());
  if (other > 0 && other < stem.size() && other < word.size() && is_ascii_letter(word[other]) && word[other] == word[other - 1]) {
    all.push_back(stem.substr(0, other) + word.substr(other, 1) + stem.substr(other));
  }
  return all;
}

}  // namespace

bool has_stemmer(Language language) { return !endings_of(language).empty(); }

void add_snowball_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms) {
  if (!has_stemmer(language)) return;
  const Stemmer& stemmer = stemmer_of(language);
  const std::string stem = stemmer.stem(word);
  if (stem.size() < kShortestStem) return;
  const auto add = [&](std::string form) {
    if (forms.size() >= most || form == word || std::ranges::find(forms, form) != forms.end()) return;
    if (stemmer.stem(form) == stem) forms.push_back(std::move(form));
  };
  const std::vector<std::string> begins = beginnings(stem, word);
  for (const std::string& begin : begins) add(begin);
  for (const std::string_view ending : endings_of(language)) {
    for (const std::string& begin : begins) add(begin + std::string(ending));
  }
}

void add_changed_forms(Language language, const std::string& word, std::size_t most, std::vector<std::string>& forms) {
  if (!has_stemmer(language)) return;
  const auto add = [&](std::string form) {
    if (forms.size() < most && form != word && std::ranges::find(forms, form) == forms.end()) forms.push_back(std::move(form));
  };
  const std::u32string letters = utf8::decode(word);
  std::vector<std::u32string> stems = {letters};  // stems from which an ending may form the word
  const std::vector<std::string_view>& endings = endings_of(language);
  for (const std::string_view each : endings) {
    const std::u32string ending = utf8::decode(each);
    if (letters.ends_with(ending) && letters.size() > ending.size() + kShortestPlain) {
      stems.push_back(letters.substr(0, letters.size() - ending.size()));
    }
  }
  for (const std::u32string& stem : stems) {
    for (const std::u32string& form : changed_forms(stem, language)) add(utf8::encode(form));
  }
  const std::vector<std::u32string> plain = plain_stems(letters, language);
  for (const std::u32string& stem : plain) {
    if (is_folded_vowel(stem.back())) add(utf8::encode(stem));
  }
  for (const std::string_view ending : endings | std::views::take(kEndingsOfPlain)) {
    for (const std::u32string& stem : plain) add(utf8::encode(stem) + std::string(ending));
  }
}

}  // namespace ladder::text
