#include "server/search/spelling_suggestions.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <array>
#include <set>
#include <utility>

namespace ladder::server {
namespace {

constexpr std::size_t kShortest = 4, kLongest = 24;  // letters of a word that gets variants

// Alphabets with accents folded, as in the index. Syllabic and logographic scripts are missing here; their words only
// get variants with removed and swapped characters.
constexpr std::array kAlphabets = {
    std::u32string_view(U"abcdefghijklmnopqrstuvwxyzæøœßðþđłı"),
    std::u32string_view(U"αβγδεζηθικλμνξοπρσςτυφχψω"),
    std::u32string_view(U"абвгдеёжзийклмнопрстуфхцчшщъыьэюяієґђјљњћџў"),
    std::u32string_view(U"աբգդեզէըթժիլխծկհձղճմյնշոչպջռսվտրցւփքօֆև"),
    std::u32string_view(U"אבגדהוזחטיךכלםמןנסעףפץצקרשת"),
    std::u32string_view(U"ءابةتثجحخدذرزسشصضطظعغفقكلمنهوىيپچژکگی"),
    std::u32string_view(U"აბგდევზთიკლმნოპჟრსტუფქღყშჩცძწჭხჯჰ"),
};

std::u32string_view alphabet_of(std::u32string_view word) {
  for (const std::u32string_view letters : kAlphabets) {
    if (std::ranges::any_of(word, [&](char32_t c) { return letters.contains(c); })) return letters;
  }
  return {};
}

// Numbers never get variants.
bool may_be_varied(std::u32string_view word) {
  return word.size() >= kShortest && word.size() <= kLongest &&
         std::ranges::none_of(word, [](char32_t c) { return c >= '0' && c <= '9'; });
}

std::set<std::string> variants_of(const std::u32string& word) {
  std::set<std::string> made;
  const auto keep = [&](auto change) {
    std::u32string variant = word;
    change(variant);
    made.insert(utf8::encode(variant));
  };
  const std::u32string_view alphabet = alphabet_of(word);
  for (std::size_t i = 0; i <= word.size(); ++i) {
    if (i < word.size()) keep([i](std::u32string& variant) { variant.erase(i, 1); });
    if (i + 1 < word.size()) keep([i](std::u32string& variant) { std::swap(variant[i], variant[i + 1]); });
    for (const char32_t letter : alphabet) {
      keep([i, letter](std::u32string& variant) { variant.insert(i, 1, letter); });
      if (i < word.size()) keep([i, letter](std::u32string& variant) { variant[i] = letter; });
    }
  }
  made.erase(utf8::encode(word));
  return made;
}

}  // namespace

SpellingSuggestions::SpellingSuggestions(const text::WordTerm& term) {
  if (term.words.size() != 1 || term.prefix) return;
  const std::u32string word = utf8::decode(term.words.front());
  if (!may_be_varied(word)) return;
  text::WordTerm any;
  any.words = term.words;
  any.field = term.field;
  for (const std::string& variant : variants_of(word)) any.forms.push_back(variant);
  query_.terms.push_back(std::move(any));
}

std::vector<text::WordRange> SpellingSuggestions::list(std::string_view text, std::vector<std::string>& words) const {
  constexpr std::size_t kMaxPlaces = 64;
  std::vector<text::WordRange> places;
  for (const text::WordRange& range : text::find_terms(query_, text, kMaxPlaces)) {
    if (words.size() >= kMax) break;
    std::string word(utf8::slice(text, range.start, range.end - range.start));
    if (std::ranges::find(words, word) != words.end()) continue;
    words.push_back(std::move(word));
    places.push_back(range);
  }
  return places;
}

}  // namespace ladder::server
