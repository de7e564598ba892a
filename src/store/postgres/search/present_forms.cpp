#include "store/postgres/search/present_forms.h"

#include "store/postgres/search/word_search.h"
#include "store/text/word_forms.h"
#include "store/text/word_rank.h"

#include <optional>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kPresentForms{kPresentFormsSql};

constexpr std::size_t kMaxForms = 63;  // bits of a count; the forms of a word fit, spellings that are near it may not
static_assert(kMaxWordForms <= kMaxForms);

}  // namespace

PresentForms::PresentForms(const WordQuery& query, const WordGroup& group) : query_(&query) {
  std::size_t number = 0;
  for (const auto& [terms, queries] : {std::pair(&query.terms, &group.terms), std::pair(&query.excluded, &group.excluded)}) {
    for (std::size_t i = 0; i < terms->size(); ++i, ++number) {
      Term& term = terms_.emplace_back();
      const std::size_t forms = (*terms)[i].forms.size();
      if (!(*queries)[i] || forms == 0 || forms > kMaxForms) continue;
      term.query = *(*queries)[i];
      term.known = false;
      for (const std::string& form : (*terms)[i].forms) {
        term.forms.push_back(form_query(group.owner, term_columns(*group.scope, number), form));
      }
    }
  }
}

bool PresentForms::recall(KnownStreams& known, const std::string& state) {
  bool all = true;
  for (Term& term : terms_) {
    if (term.forms.empty()) continue;
    const auto kept = known.count(key(state, term));
    term.known = kept.has_value();
    if (kept) term.present = *kept;
    all = all && term.known;
  }
  return all;
}

void PresentForms::queue(Connection& connection) const {
  std::vector<std::optional<std::string>> asked;
  for (const Term& term : terms_) {
    if (!term.known) asked.insert(asked.end(), term.forms.begin(), term.forms.end());
  }
  connection.add(kPresentForms, TextForm{query_array(asked)});
}

void PresentForms::read(const Rows& rows, KnownStreams& known, const std::string& state) {
  std::vector<bool> found;
  for (int row = 0; row < rows.size(); ++row) {
    const auto at = static_cast<std::size_t>(rows.int8(row, 0) - 1);
    if (found.size() <= at) found.resize(at + 1);
    found[at] = true;
  }
  std::size_t at = 0;
  for (Term& term : terms_) {
    if (term.known) continue;
    term.present = 0;
    for (std::size_t form = 0; form < term.forms.size(); ++form, ++at) {
      if (at < found.size() && found[at]) term.present |= std::int64_t{1} << form;
    }
    term.known = true;
    known.keep_count(key(state, term), term.present);
  }
}

void PresentForms::apply(WordGroup& group) const {
  WordQuery narrowed{.terms = query_->terms, .excluded = query_->excluded};
  std::size_t number = 0;
  for (auto* const terms : {&narrowed.terms, &narrowed.excluded}) {
    for (WordTerm& term : *terms) {
      const Term& asked = terms_[number++];
      if (asked.forms.empty()) continue;
      std::vector<std::string> kept;
      for (std::size_t form = 0; form < term.forms.size(); ++form) {
        if ((asked.present >> form & 1) != 0) kept.push_back(std::move(term.forms[form]));
      }
      term.forms = std::move(kept);
    }
  }
  make_queries(group, narrowed);
}

}  // namespace ladder::store::postgres
