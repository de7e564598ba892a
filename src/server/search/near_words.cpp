#include "server/search/near_words.h"

#include "base/text/utf8.h"

#include <algorithm>
#include <set>
#include <utility>

namespace ladder::server {
namespace {

constexpr std::size_t kShortest = 4, kLongest = 24;  // letters of a word that is varied
constexpr std::string_view kLetters = "abcdefghijklmnopqrstuvwxyz";

bool is_plain(const std::string& word) {
  return word.size() >= kShortest && word.size() <= kLongest &&
         std::ranges::all_of(word, [](char c) { return kLetters.contains(c); });
}

std::set<std::string> variants_of(const std::string& word) {
  std::set<std::string> made;
  const auto keep = [&](auto change) {
    std::string variant = word;
    change(variant);
    made.insert(std::move(variant));
  };
  for (std::size_t i = 0; i <= word.size(); ++i) {
    if (i < word.size()) keep([i](std::string& variant) { variant.erase(i, 1); });
    if (i + 1 < word.size()) keep([i](std::string& variant) { std::swap(variant[i], variant[i + 1]); });
    for (const char letter : kLetters) {
      keep([i, letter](std::string& variant) { variant.insert(i, 1, letter); });
      if (i < word.size()) keep([i, letter](std::string& variant) { variant[i] = letter; });
    }
  }
  made.erase(word);
  return made;
}

}  // namespace

NearWords::NearWords(const store::WordTerm& term) {
  if (term.words.size() != 1 || term.prefix || !is_plain(term.words.front())) return;
  store::WordTerm any;
  any.words = term.words;
  any.field = term.field;
  for (const std::string& variant : variants_of(term.words.front())) any.forms.push_back(variant);
  query_.terms.push_back(std::move(any));
}

std::vector<store::WordRange> NearWords::list(std::string_view text, std::vector<std::string>& words) const {
  constexpr std::size_t kMaxPlaces = 64;
  std::vector<store::WordRange> places;
  for (const store::WordRange& range : store::find_terms(query_, text, kMaxPlaces)) {
    if (words.size() >= kMax) break;
    std::string word(utf8::slice(text, range.start, range.end - range.start));
    if (std::ranges::find(words, word) != words.end()) continue;
    words.push_back(std::move(word));
    places.push_back(range);
  }
  return places;
}

}  // namespace ladder::server
