#include "server/search/search_wording.h"

#include "base/text/utf8.h"
#include "text/forms/word_forms.h"
#include "text/words.h"

#include <algorithm>
#include <numeric>
#include <tuple>
#include <utility>

namespace ladder::server {
namespace {

constexpr std::size_t kMaxCorrectedWords = 3;

std::string folded(std::string_view text) {
  text::Words words;
  words.feed(text);
  words.finish();
  text::Word word;
  return words.next(word) ? std::string(word.text) : std::string();
}

}  // namespace

bool has_surplus(const text::WordQuery& query) { return query.terms.size() + query.excluded.size() > text::kMaxWordTerms; }

std::vector<std::uint8_t> most_informative(const text::WordQuery& query, std::span<const std::int64_t> counts) {
  std::vector<std::uint8_t> order(query.terms.size());
  std::iota(order.begin(), order.end(), std::uint8_t{0});
  const text::WordTerm* const terms = query.terms.data();
  const auto rank = [&](std::uint8_t term) {
    const std::int64_t count = counts[term];
    return std::tuple(!terms[term].must, count == 0, count / std::max(terms[term].times, 1), term);
  };
  std::ranges::sort(order, {}, rank);
  order.resize(std::min(order.size(), text::kMaxWordTerms - query.excluded.size()));
  std::ranges::sort(order);
  return order;
}

text::WordTerm part_term(const text::WordTerm& compound, const std::string& part, const std::vector<text::Language>& languages) {
  text::WordTerm term;
  term.words = {part};
  term.typed = part;
  term.field = compound.field;
  term.corrected = true;
  const auto add = [&](const std::string& form) {
    if (std::ranges::find(term.forms, form) == term.forms.end()) term.forms.push_back(form);
  };
  for (const text::Language language : languages) {
    if (!text::makes_compounds(language)) continue;
    for (const std::string& form : text::word_forms(part, text::DetectedLanguage{language, true})) add(form);
  }
  for (const std::string& word : compound.words) add(word);
  for (const std::string& form : compound.forms) add(form);
  return term;
}

bool apply(const QueryChanges& changes, text::WordQuery& query) {
  if (changes.chosen.empty() && has_surplus(query)) return false;
  if (!changes.chosen.empty()) {
    std::vector<text::WordTerm> kept;
    std::size_t next = 0;
    for (std::size_t term = 0; term < query.terms.size(); ++term) {
      if (next < changes.chosen.size() && changes.chosen[next] == term) {
        kept.push_back(std::move(query.terms[term]));
        ++next;
      } else {
        query.left_out.push_back(query.terms[term].typed);
      }
    }
    if (next != changes.chosen.size()) return false;
    query.terms = std::move(kept);
  }
  for (const Correction& correction : changes.corrections) {
    if (correction.term >= query.terms.size()) return false;
    text::WordTerm& term = query.terms[correction.term];
    term.forms.insert(term.forms.end(), correction.words.begin(), correction.words.end());
    term.corrected = true;
  }
  const std::vector<text::Language> languages = text::languages_in_question(query, changes.languages);
  for (const Split& split : changes.splits) {
    if (split.term >= query.terms.size()) return false;
    for (const std::string& part : {split.parts.first, split.parts.second}) {
      query.terms.push_back(part_term(query.terms[split.term], part, languages));
    }
  }
  return !has_surplus(query);
}

std::vector<std::string> corrected_words(const text::WordTerm& term, const std::vector<std::string>& near) {
  std::vector<std::string> words, same_beginning;
  const std::string_view first = utf8::slice(term.words.front(), 0, 1);
  for (const std::string& one : near) {
    std::string word = folded(one);
    if (word.empty() || std::ranges::find(words, word) != words.end()) continue;
    if (word.starts_with(first)) same_beginning.push_back(word);
    words.push_back(std::move(word));
  }
  if (!same_beginning.empty()) words = std::move(same_beginning);
  if (words.size() > kMaxCorrectedWords) words.resize(kMaxCorrectedWords);
  return words;
}

}  // namespace ladder::server
