// Chooses the terms of a search: the most informative ones of a long question, and replacements for words that no
// record has. The first page decides from granted records only, and the cursor carries the decision.
#include "base/text/utf8.h"
#include "crypto/hash.h"
#include "model/field_path.h"
#include "server/search/search_read.h"
#include "server/window/field_text.h"
#include "text/forms/tables.h"
#include "text/record_languages.h"

#include <algorithm>

namespace ladder::server {
namespace {

constexpr int kMaxSearches = 8;           // per page
constexpr std::int64_t kFewRecords = 10;  // containing a compound; less than a page
constexpr std::size_t kParts = 2;
constexpr std::int64_t kNearChars = 300'000;  // of long texts, read to find nearly the same word

model::RecordRef record_of(const SearchStream& stream, const store::WordHit& hit) {
  return {stream.stream().connection->row.connection_id, stream.stream().declared->name, hit.record.key};
}

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
Result<std::vector<text::Language>> SearchRead::languages_in(store::Reader& reader, text::Alphabet alphabet) const {
  store::WordSearch search = counting(text::language_markers(alphabet));
  search.scopes = plan_->scopes();
  LADDER_TRY(const store::WordPage counted, reader.search(search));
  return text::languages_of_records(alphabet, counted.counts);
}

// If little was found, reports the languages of the records, so that the caller can ask in them.
Status SearchRead::report_languages(store::Reader& reader, api::SearchPage& page) {
  constexpr std::int64_t kLittle = 3;  // hits
  const bool further = !request_.cursor.empty() || group_ || wordings_.size() > 1 || request_.match_all;
  const bool lacks_most = !page.hits.empty() && page.hits.front().missing.size() > page.hits.front().words.size();
  if (further || (page.count.value_or(0) >= kLittle && !lacks_most)) return {};
  if (!languages_) {
    LADDER_TRY(languages_, languages_in(reader, text::Alphabet::kLatin));
  }
  std::vector<text::Language> all = *languages_;
  LADDER_TRY(const std::vector<text::Language> others, languages_in(reader, text::Alphabet::kOther));
  all.insert(all.end(), others.begin(), others.end());
  if (all.size() == 1 && !page.hits.empty()) return {};  // the hits show that the question is in that language
  for (const text::Language language : all) {
    const auto [code, name] = text::name_of(language);
    const bool asked = query_.language && query_.language->sure && query_.language->language == language;
    page.languages.push_back({std::string(code), std::string(name), asked});
  }
  return {};
}

// Determines the records' languages if a wording does not reveal its own, and builds the forms of all words.
Status SearchRead::learn_languages(store::Reader& reader) {
  if (!languages_ && !plan_->streams().empty() && std::ranges::any_of(wordings_, text::needs_languages)) {
    LADDER_TRY(languages_, languages_in(reader, text::Alphabet::kLatin));
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
  std::size_t room = text::kMaxWordTerms - query_.terms.size() - query_.excluded.size();
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
Result<std::optional<text::CompoundParts>> SearchRead::parts_of(store::Reader& reader, const text::WordTerm& term) const {
  if (term.must || term.prefix || term.exact || term.words.size() != 1) return std::nullopt;
  const std::vector<text::Language> languages = text::languages_in_question(query_, changes_.languages);
  std::vector<text::CompoundParts> ways;
  std::set<std::string> parts;
  for (const text::Language language : languages) {
    for (text::CompoundParts& way : text::compound_parts(term.words.front(), language)) {
      parts.insert({way.first, way.second});
      ways.push_back(std::move(way));
    }
  }
  std::set<std::string> present;
  for (auto part = parts.begin(); part != parts.end();) {
    text::WordQuery some;
    text::WordTerm alone;
    alone.field = term.field;
    for (; part != parts.end() && some.terms.size() + 1 < text::kMaxWordTerms; ++part) {
      some.terms.push_back(part_term(alone, *part, languages));
    }
    some.terms.push_back(text::absent_term());
    LADDER_TRY(const store::WordPage counted, reader.search(counting(some)));
    for (std::size_t i = 0; i + 1 < some.terms.size() && i < counted.counts.size(); ++i) {
      if (counted.counts[i] > 0) present.insert(some.terms[i].typed);
    }
  }
  const auto way = std::ranges::find_if(
      ways, [&](const text::CompoundParts& each) { return present.contains(each.first) && present.contains(each.second); });
  return way == ways.end() ? std::nullopt : std::optional(*way);
}

Status SearchRead::choose_terms(store::Reader& reader) {
  std::vector<std::int64_t> counts;
  for (std::size_t from = 0; from < query_.terms.size(); from += text::kMaxWordTerms) {
    text::WordQuery some;
    const std::size_t to = std::min(query_.terms.size(), from + text::kMaxWordTerms);
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
    const text::WordTerm& term = query_.terms[i];
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
Status SearchRead::find_similar_words(store::Reader& reader, const text::WordTerm& term, api::SearchedWord& word) const {
  const SpellingSuggestions near(term);
  if (near.query().terms.empty()) return {};
  LADDER_TRY(const store::WordPage nearby, reader.search(counting(near.query())));
  for (const store::WordHit& hit : nearby.hits) list_short_texts(hit, near, word);
  if (!word.near.empty()) return {};
  return list_long_texts(reader, nearby.hits, near, word);
}

// Adds the words of the record's short texts.
void SearchRead::list_short_texts(const store::WordHit& hit, const SpellingSuggestions& near, api::SearchedWord& word) const {
  const SearchStream& stream = *plan_->streams()[hit.sort_key.scope];
  for (const store::SearchedText& text : store::searched_texts(hit.record.body, stream.columns)) {
    if (text.ref) continue;
    const auto ranges = near.list(text.text, word.near);
    const auto column = std::ranges::find(stream.columns, text.column, &store::WordColumn::column);
    for (const text::WordRange& range : ranges) {
      word.near_occurrences.push_back({record_of(stream, hit),
                                       {model::format_field_path(column->field), range.start, range.end, utf8::count(text.text),
                                        crypto::digest_text(crypto::sha256(text.text))}});
    }
  }
}

// Adds the words of the shortest long texts. Reading them takes less time than a search for the passages of hundreds of
// spellings.
Status SearchRead::list_long_texts(store::Reader& reader, std::span<const store::WordHit> hits, const SpellingSuggestions& near,
                                   api::SearchedWord& word) const {
  struct LongText {
    const store::WordHit* hit;
    std::string field;
    store::LongRef ref;
  };
  std::vector<LongText> texts;
  for (const store::WordHit& hit : hits) {
    const SearchStream& stream = *plan_->streams()[hit.sort_key.scope];
    for (const store::SearchedText& text : store::searched_texts(hit.record.body, stream.columns)) {
      const auto column = std::ranges::find(stream.columns, text.column, &store::WordColumn::column);
      if (text.ref) texts.push_back({&hit, column->field, *text.ref});
    }
  }
  std::ranges::stable_sort(texts, {}, [](const LongText& text) { return text.ref.size_chars; });
  std::int64_t left = kNearChars;
  for (const LongText& text : texts) {
    const std::int64_t chars_read = std::min(left, text.ref.size_chars);
    if (!word.near.empty() || chars_read == 0) break;
    LADDER_TRY(const FieldText field, FieldText::of({text.ref, text.ref.kind, {}}, text.field));
    LADDER_TRY(const auto chars, field.chars(reader, 0, chars_read));
    if (!chars) continue;  // deleted meanwhile
    left -= chars_read;
    for (const text::WordRange& range : near.list(*chars, word.near)) {
      word.near_occurrences.push_back({record_of(*plan_->streams()[text.hit->sort_key.scope], *text.hit),
                                       {model::format_field_path(text.field), range.start, range.end, text.ref.size_chars,
                                        crypto::digest_text(text.ref.digest)}});
    }
  }
  return {};
}

}  // namespace ladder::server
