// Chooses the terms of a search: the most informative ones of a long question, and replacements for words that no
// record has. The first page decides from granted records only, and the cursor carries the decision.
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "model/field_path.h"
#include "server/search/near_words.h"
#include "server/search/search_read.h"
#include "store/text/forms/record_languages.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr int kMaxSearches = 8;           // per page
constexpr std::int64_t kFewRecords = 10;  // containing a compound; less than a page
constexpr std::size_t kParts = 2;

}  // namespace

// A search that skips many already-shown group hits may end early, so it is repeated until the page is full.
Result<store::WordPage> SearchRead::find_full_page(store::Reader& reader) const {
  store::WordSearch search = question();
  LADDER_TRY(store::WordPage page, reader.search(search));
  for (int i = 1; i < kMaxSearches && page.more && std::ssize(page.hits) < limit_; ++i) {
    search.after = page.last;
    search.weights = page.weights;
    search.head_end = page.head_end;
    search.limit = limit_ - std::ssize(page.hits);
    LADDER_TRY(store::WordPage next, reader.search(search));
    for (store::WordHit& hit : next.hits) page.hits.push_back(std::move(hit));
    page.more = next.more;
    page.last = next.last;
  }
  return page;
}

// Returns the languages of all granted records, regardless of the searched range.
Result<std::vector<store::Language>> SearchRead::languages_in(store::Reader& reader, store::Alphabet alphabet) const {
  store::WordSearch search = counting(store::language_markers(alphabet));
  search.scopes = plan_->scopes();
  LADDER_TRY(const store::WordPage counted, reader.search(search));
  return store::languages_of_records(alphabet, counted.counts);
}

// If little was found, reports the languages of the records, so that the caller can ask in them.
Status SearchRead::report_languages(store::Reader& reader, api::SearchPage& page) {
  constexpr std::int64_t kLittle = 3;  // hits
  const bool further = !request_.cursor.empty() || group_ || wordings_.size() > 1 || request_.match_all;
  const bool lacks_most = !page.hits.empty() && page.hits.front().missing.size() > page.hits.front().words.size();
  if (further || (page.count.value_or(0) >= kLittle && !lacks_most)) return {};
  if (!languages_) {
    LADDER_TRY(languages_, languages_in(reader, store::Alphabet::kLatin));
  }
  std::vector<store::Language> all = *languages_;
  LADDER_TRY(const std::vector<store::Language> others, languages_in(reader, store::Alphabet::kOther));
  all.insert(all.end(), others.begin(), others.end());
  if (all.size() == 1 && !page.hits.empty()) return {};  // the hits show that the question is in that language
  for (const store::Language language : all) {
    const auto [code, name] = store::name_of(language);
    const bool asked = query_.language && query_.language->sure && query_.language->language == language;
    page.languages.push_back({std::string(code), std::string(name), asked});
  }
  return {};
}

// Determines the records' languages if a wording does not reveal its own, and builds the forms of all words.
Status SearchRead::learn_languages(store::Reader& reader) {
  if (!languages_ && !plan_->streams().empty() && std::ranges::any_of(wordings_, store::needs_languages)) {
    LADDER_TRY(languages_, languages_in(reader, store::Alphabet::kLatin));
  }
  add_forms();
  return {};
}

// The first page decides which words are searched; later pages take them from the cursor.
Result<store::WordPage> SearchRead::find(store::Reader& reader) {
  absent_.clear();
  if (from_) return find_full_page(reader);
  changes_ = {};
  if (languages_) changes_.languages = *languages_;
  if (has_surplus(query_)) LADDER_CHECK(choose_terms(reader));
  LADDER_TRY(store::WordPage page, find_full_page(reader));
  LADDER_CHECK(find_parts(reader, page));
  LADDER_CHECK(find_corrections(reader, page));
  if (changes_.splits.empty() && changes_.corrections.empty()) return page;
  apply({{}, changes_.corrections, changes_.splits, changes_.languages}, query_);
  const std::vector<std::int64_t> counts = page.counts;
  LADDER_TRY(page, find_full_page(reader));
  page.counts.resize(query_.terms.size());
  std::ranges::copy(counts, page.counts.begin());
  return page;
}

// Compounds that few records have are also searched by their parts.
Status SearchRead::find_parts(store::Reader& reader, const store::WordPage& found) {
  if (found.counts.size() != query_.terms.size()) return {};
  std::size_t room = store::kMaxWordTerms - query_.terms.size() - query_.excluded.size();
  for (std::size_t i = 0; i < query_.terms.size() && room >= kParts; ++i) {
    if (found.counts[i] >= kFewRecords) continue;
    LADDER_TRY(auto parts, parts_of(reader, query_.terms[i]));
    if (!parts) continue;
    changes_.splits.push_back({static_cast<std::uint8_t>(i), *std::move(parts)});
    room -= kParts;
  }
  return {};
}

// Returns the most even split of a word into two parts that granted records contain.
Result<std::optional<store::CompoundParts>> SearchRead::parts_of(store::Reader& reader, const store::WordTerm& term) const {
  if (term.must || term.prefix || term.exact || term.words.size() != 1) return std::nullopt;
  const std::vector<store::Language> languages = store::languages_in_question(query_, changes_.languages);
  std::vector<store::CompoundParts> ways;
  std::set<std::string> parts;
  for (const store::Language language : languages) {
    for (store::CompoundParts& way : store::compound_parts(term.words.front(), language)) {
      parts.insert({way.first, way.second});
      ways.push_back(std::move(way));
    }
  }
  std::set<std::string> present;
  for (auto part = parts.begin(); part != parts.end();) {
    store::WordQuery some;
    store::WordTerm alone;
    alone.field = term.field;
    for (; part != parts.end() && some.terms.size() + 1 < store::kMaxWordTerms; ++part) {
      some.terms.push_back(part_term(alone, *part, languages));
    }
    some.terms.push_back(store::absent_term());
    LADDER_TRY(const store::WordPage counted, reader.search(counting(some)));
    for (std::size_t i = 0; i + 1 < some.terms.size() && i < counted.counts.size(); ++i) {
      if (counted.counts[i] > 0) present.insert(some.terms[i].typed);
    }
  }
  const auto way = std::ranges::find_if(
      ways, [&](const store::CompoundParts& each) { return present.contains(each.first) && present.contains(each.second); });
  return way == ways.end() ? std::nullopt : std::optional(*way);
}

Status SearchRead::choose_terms(store::Reader& reader) {
  std::vector<std::int64_t> counts;
  for (std::size_t from = 0; from < query_.terms.size(); from += store::kMaxWordTerms) {
    store::WordQuery some;
    const std::size_t to = std::min(query_.terms.size(), from + store::kMaxWordTerms);
    for (std::size_t term = from; term < to; ++term) {
      some.terms.push_back(query_.terms[term]);
      some.terms.back().must = false;
    }
    LADDER_TRY(const store::WordPage counted, reader.search(counting(some)));
    counts.insert(counts.end(), counted.counts.begin(), counted.counts.end());
  }
  counts.resize(query_.terms.size());
  changes_.chosen = most_informative(query_, counts);
  apply({changes_.chosen, {}}, query_);
  return {};
}

// Finds similar spellings for words that no record has, and searches for those instead.
Status SearchRead::find_corrections(store::Reader& reader, const store::WordPage& found) {
  if (found.counts.size() != query_.terms.size()) return {};
  for (std::size_t i = 0; i < query_.terms.size(); ++i) {
    if (found.counts[i] > 0 || std::ranges::find(changes_.splits, i, &Split::term) != changes_.splits.end()) continue;
    const store::WordTerm& term = query_.terms[i];
    api::SearchedWord& word = absent_[i];
    word.word = term.typed;
    LADDER_CHECK(find_similar_words(reader, term, word));
    if (term.must || word.near.empty()) continue;
    std::vector<std::string> words = corrected_words(term, word.near);
    if (words.empty()) continue;
    word.corrected = true;
    changes_.corrections.push_back({static_cast<std::uint8_t>(i), std::move(words)});
  }
  return {};
}

// Lists words from granted records with a spelling similar to the missing word.
Status SearchRead::find_similar_words(store::Reader& reader, const store::WordTerm& term, api::SearchedWord& word) const {
  const NearWords near(term);
  if (near.query().terms.empty()) return {};
  LADDER_TRY(const store::WordPage nearby, reader.search(counting(near.query())));
  for (const store::WordHit& hit : nearby.hits) {
    const SearchStream& place = *plan_->streams()[hit.sort_key.scope];
    for (const store::SearchedText& text : store::searched_texts(hit.record.body, place.columns)) {
      const std::size_t listed = word.near.size();
      const auto ranges = near.list(text.text, word.near);
      if (word.near.size() == listed) continue;
      const auto column = std::ranges::find(place.columns, text.column, &store::WordColumn::column);
      const model::RecordRef record{place.stream().connection->row.connection_id, place.stream().declared->name, hit.record.key};
      for (const store::WordRange& range : ranges) {
        word.near_occurrences.push_back({record,
                                         {model::format_field_path(column->field), range.start, range.end, utf8::count(text.text),
                                          crypto::digest_text(crypto::sha256(text.text))}});
      }
    }
  }
  return {};
}

}  // namespace ladder::server
