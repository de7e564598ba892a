#include "store/sqlite/word_expression.h"

namespace ladder::store::sqlite {
namespace {

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

std::string joined(const std::vector<std::string>& phrases, const char* by) {
  std::string text;
  for (const std::string& one : phrases) {
    if (!text.empty()) text += by;
    text += one;
  }
  return text;
}

}  // namespace

WordTerms::WordTerms(const WordQuery& query) : required(query.required.size()) {
  for (const WordTerm& term : query.required) {
    each.push_back(phrase(term));
    lengths.push_back(static_cast<std::int32_t>(term.words.size()));
  }
  std::vector<std::string> with_excluded = each;
  for (const WordTerm& term : query.excluded) with_excluded.push_back(phrase(term));
  const int terms = static_cast<int>(required);
  const int excluded = static_cast<int>(query.excluded.size());
  any = {joined(with_excluded, " OR "), terms, terms + excluded};
  all = {joined(each, " AND "), terms, terms};
  if (excluded == 0) return;
  // FTS5's NOT would look at columns that do not count. "A or else X" is true wherever A is, and tells where X is.
  std::vector<std::string> or_else(with_excluded.begin() + terms, with_excluded.end());
  or_else.insert(or_else.begin(), each.front());
  all = {all.text + " AND (" + joined(or_else, " OR ") + ")", terms + 1, terms + 1 + excluded};
}

}  // namespace ladder::store::sqlite
