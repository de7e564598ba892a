#include "store/postings/word_expression.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

namespace ladder::store {

std::vector<std::string> words_of_form(std::string_view form) {
  std::vector<std::string> words;
  for (const auto word : std::views::split(form, ' ')) words.emplace_back(word.begin(), word.end());
  return words;
}

std::vector<std::string> words_of(const text::WordQuery& query) {
  std::vector<std::string> words;
  for (const auto* const terms : {&query.terms, &query.excluded}) {
    for (const text::WordTerm& term : *terms) {
      words.insert(words.end(), term.words.begin(), term.words.end());
      for (const std::string& form : term.forms) std::ranges::move(words_of_form(form), std::back_inserter(words));
    }
  }
  std::ranges::sort(words);
  words.erase(std::ranges::unique(words).begin(), words.end());
  return words;
}

namespace {

using Kind = PhraseMeaning::Kind;

// Builds an expression, phrase by phrase.
class ExpressionBuilder {
 public:
  explicit ExpressionBuilder(const text::WordQuery& query) : query_(query) {}

  void next_group() { group_ = result_.groups++; }
  void optional() { group_ = PhraseMeaning::kOptional; }
  void term(std::size_t number) {
    const text::WordTerm& term = query_.terms[number];
    add({Kind::kTerm, number, term.words, term.prefix, group_});
    for (const std::string& form : term.forms) add({Kind::kForm, number, words_of_form(form), false, group_});
  }
  void excluded() {
    for (std::size_t i = 0; i < query_.excluded.size(); ++i) {
      add({Kind::kExcluded, i, query_.excluded[i].words, query_.excluded[i].prefix, group_});
    }
  }
  WordExpression take() { return std::move(result_); }

 private:
  void add(PhraseMeaning phrase) { result_.phrases.push_back(std::move(phrase)); }

  const text::WordQuery& query_;
  WordExpression result_;
  std::size_t group_ = 0;
};

bool finds(const text::WordWeights& weights, std::size_t term) { return (weights.finders >> term & 1) != 0; }

}  // namespace

WordExpression WordTerms::candidates(const text::WordWeights& weights) const {
  ExpressionBuilder builder(query_);
  std::vector<std::size_t> needed, optional;
  const bool must = std::ranges::any_of(query_.terms, &text::WordTerm::must);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    ((must ? query_.terms[term].must : finds(weights, term)) ? needed : optional).push_back(term);
  }
  for (const std::size_t term : needed) {
    if (must && term != needed.front()) builder.next_group();
    builder.term(term);
  }
  builder.optional();
  for (const std::size_t term : optional) builder.term(term);
  builder.excluded();
  return builder.take();
}

WordExpression WordTerms::finders(const text::WordWeights& weights) const {
  ExpressionBuilder builder(query_);
  const auto must = std::ranges::find_if(query_.terms, &text::WordTerm::must);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    if (must == query_.terms.end() ? finds(weights, term) : &query_.terms[term] == &*must) builder.term(term);
  }
  return builder.take();
}

WordExpression WordTerms::any() const {
  ExpressionBuilder builder(query_);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) builder.term(term);
  builder.excluded();
  return builder.take();
}

WordExpression WordTerms::one(std::size_t term) const {
  ExpressionBuilder builder(query_);
  builder.term(term);
  return builder.take();
}

}  // namespace ladder::store
