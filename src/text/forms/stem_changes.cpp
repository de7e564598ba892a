#include "text/forms/stem_changes.h"

#include "base/text/utf8.h"
#include "text/forms/tables.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

namespace ladder::text {
namespace {

struct StemChange {
  std::u32string plain, changed;        // the ends of the two stems; C is a consonant and V a vowel, the same letter in both
  std::vector<std::u32string> endings;  // that follow the changed stem; may be empty
};

const std::vector<StemChange>& changes_in(Language language) {
  static const auto made = [] {
    std::array<std::vector<StemChange>, kLanguages> all;
    each_row(FormTable::kStemChanges, [&](Language each, std::string_view row) {
      const std::vector<std::string_view> words = words_in(row);
      StemChange& change = all[static_cast<std::size_t>(each)].emplace_back(utf8::decode(words[0]), utf8::decode(words[1]));
      for (const std::string_view ending : std::span(words).subspan(2)) {
        change.endings.push_back(ending == "-" ? std::u32string() : utf8::decode(ending));
      }
    });
    return all;
  }();
  return made[static_cast<std::size_t>(language)];
}

constexpr std::size_t kShortest = 2;  // letters of a stem

bool stands_for(char32_t pattern, char32_t letter) {
  if (pattern == U'C') return !is_folded_vowel(letter);
  if (pattern == U'V') return is_folded_vowel(letter);
  return pattern == letter;
}

// Replaces the end of the text, if it ends with `end`.
std::optional<std::u32string> with_other_end(std::u32string_view text, std::u32string_view end, std::u32string_view other) {
  if (text.size() < std::max(end.size(), kShortest)) return std::nullopt;
  const std::u32string_view here = text.substr(text.size() - end.size());
  if (!std::ranges::equal(end, here, stands_for)) return std::nullopt;
  std::u32string made(text.substr(0, text.size() - end.size()));
  std::u32string kept;  // the letters matched by wildcards, in order
  for (std::size_t i = 0; i < end.size(); ++i) {
    if (end[i] == U'C' || end[i] == U'V') kept += here[i];
  }
  std::size_t next = 0;
  for (const char32_t letter : other) made += letter == U'C' || letter == U'V' ? kept[next++] : letter;
  return made;
}

void add_new(std::vector<std::u32string>& all, std::u32string text) {
  if (std::ranges::find(all, text) == all.end()) all.push_back(std::move(text));
}

}  // namespace

bool is_folded_vowel(char32_t letter) { return std::u32string_view(U"aeiouyıæøœаеиоуыэюяєі").contains(letter); }

std::vector<std::u32string> plain_stems(std::u32string_view word, Language language) {
  std::vector<std::u32string> stems;
  for (const StemChange& change : changes_in(language)) {
    for (const std::u32string& ending : change.endings) {
      if (stems.size() == kMaxPlainStems) return stems;
      if (!word.ends_with(ending)) continue;
      auto stem = with_other_end(word.substr(0, word.size() - ending.size()), change.changed, change.plain);
      if (stem && stem->size() > kShortest) add_new(stems, *std::move(stem));
    }
  }
  return stems;
}

std::vector<std::u32string> changed_forms(std::u32string_view stem, Language language) {
  std::vector<std::u32string> forms;
  for (const StemChange& change : changes_in(language)) {
    const auto changed = with_other_end(stem, change.plain, change.changed);
    if (!changed) continue;
    for (const std::u32string& ending : change.endings) add_new(forms, *changed + ending);
  }
  return forms;
}

}  // namespace ladder::text
