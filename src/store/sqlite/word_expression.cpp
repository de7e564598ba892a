#include "store/sqlite/word_expression.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

using Kind = PhraseMeaning::Kind;

// Words have neither quotes nor spaces in them.
std::string phrase(const WordTerm& term) {
  std::string text = "\"";
  for (const std::string& word : term.words) {
    if (text.size() > 1) text += ' ';
    text += word;
  }
  text += '"';
  if (term.prefix) text += " *";
  return text;
}

// Writes an expression, phrase by phrase.
class Maker {
 public:
  explicit Maker(const WordQuery& query) : query_(query) {}

  void open() {
    made_.text += '(';
    begins_ = true;
  }
  void close() { made_.text += ')'; }
  void both() { made_.text += " AND "; }
  void term(std::size_t term, bool again = false) {
    add(phrase(query_.terms[term]), {again ? Kind::kAgain : Kind::kTerm, term});
    for (const std::string& form : query_.terms[term].forms) add('"' + form + '"', {again ? Kind::kAgain : Kind::kForm, term});
  }
  void excluded() {
    for (std::size_t i = 0; i < query_.excluded.size(); ++i) add(phrase(query_.excluded[i]), {Kind::kExcluded, i});
  }
  WordExpression take() { return std::move(made_); }

 private:
  void add(const std::string& text, PhraseMeaning meaning) {
    if (!begins_) made_.text += " OR ";
    begins_ = false;
    made_.text += text;
    made_.phrases.push_back(meaning);
  }

  const WordQuery& query_;
  WordExpression made_;
  bool begins_ = true;
};

bool finds(const WordWeights& weights, std::size_t term) { return (weights.finders >> term & 1) != 0; }

}  // namespace

WordExpression WordTerms::candidates(const WordWeights& weights) const {
  Maker maker(query_);
  std::vector<std::size_t> in, beside;
  const bool must = std::ranges::any_of(query_.terms, &WordTerm::must);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    ((must ? query_.terms[term].must : finds(weights, term)) ? in : beside).push_back(term);
  }
  maker.open();
  for (const std::size_t term : in) {
    if (must && term != in.front()) {
      maker.close();
      maker.both();
      maker.open();
    }
    maker.term(term);
  }
  maker.close();
  if (beside.empty() && query_.excluded.empty()) return maker.take();
  // FTS5's NOT would look at columns that do not count. "A or else X" is true wherever A is, and tells where X is.
  maker.both();
  maker.open();
  for (const std::size_t term : in) {
    maker.term(term, true);
    if (must) break;
  }
  for (const std::size_t term : beside) maker.term(term);
  maker.excluded();
  maker.close();
  return maker.take();
}

WordExpression WordTerms::finders(const WordWeights& weights) const {
  Maker maker(query_);
  const auto must = std::ranges::find_if(query_.terms, &WordTerm::must);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    if (must == query_.terms.end() ? finds(weights, term) : &query_.terms[term] == &*must) maker.term(term);
  }
  return maker.take();
}

WordExpression WordTerms::any() const {
  Maker maker(query_);
  for (std::size_t term = 0; term < query_.terms.size(); ++term) maker.term(term);
  maker.excluded();
  return maker.take();
}

WordExpression WordTerms::one(std::size_t term) const {
  Maker maker(query_);
  maker.term(term);
  return maker.take();
}

}  // namespace ladder::store::sqlite
