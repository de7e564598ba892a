#include "store/postgres/search/present_forms.h"

#include "base/text/format.h"
#include "store/postgres/search/word_search.h"
#include "store/text/word_rank.h"

#include <algorithm>
#include <optional>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kPresentForms{kPresentFormsSql};

constexpr std::size_t kBits = 62;  // of a kept count

}  // namespace

std::string PresentForms::key(const std::string& state, const Term& term, std::size_t number) {
  return format("forms {}\n{}\n{}", number, state, term.query);
}

PresentForms::PresentForms(const WordQuery& query, const WordGroup& group) : query_(&query) {
  std::size_t number = 0;
  for (const auto& [terms, queries] : {std::pair(&query.terms, &group.terms), std::pair(&query.excluded, &group.excluded)}) {
    for (std::size_t i = 0; i < terms->size(); ++i, ++number) {
      Term& term = terms_.emplace_back();
      if (!(*queries)[i] || (*terms)[i].forms.empty()) continue;
      term.query = *(*queries)[i];
      term.known = false;
      for (const std::string& form : (*terms)[i].forms) {
        term.forms.push_back(form_query(group.owner, term_columns(*group.scope, number), form));
      }
      term.present.resize((term.forms.size() + kBits - 1) / kBits);
    }
  }
}

bool PresentForms::recall(KnownStreams& known, const std::string& state) {
  bool all = true;
  for (Term& term : terms_) {
    if (term.forms.empty()) continue;
    term.known = true;
    for (std::size_t i = 0; i < term.present.size() && term.known; ++i) {
      const auto kept = known.count(key(state, term, i));
      term.known = kept.has_value();
      if (kept) term.present[i] = *kept;
    }
    all = all && term.known;
  }
  return all;
}

Answer PresentForms::ask(Batch& batch) const {
  std::vector<std::optional<std::string>> asked;
  for (const Term& term : terms_) {
    if (!term.known) asked.insert(asked.end(), term.forms.begin(), term.forms.end());
  }
  return batch.ask(kPresentForms, TextForm{query_array(asked)});
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
    std::ranges::fill(term.present, 0);
    for (std::size_t form = 0; form < term.forms.size(); ++form, ++at) {
      if (at < found.size() && found[at]) term.present[form / kBits] |= std::int64_t{1} << form % kBits;
    }
    term.known = true;
    for (std::size_t i = 0; i < term.present.size(); ++i) known.keep_count(key(state, term, i), term.present[i]);
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
        if ((asked.present[form / kBits] >> form % kBits & 1) != 0) kept.push_back(std::move(term.forms[form]));
      }
      term.forms = std::move(kept);
    }
  }
  make_queries(group, narrowed);
}

}  // namespace ladder::store::postgres
