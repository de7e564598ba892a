#include "store/sqlite/word_hits.h"

#include <algorithm>
#include <bit>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kMostPlaces = 128;  // of a term in a row, that distances are looked for among

bool counts(WordColumns columns, int column) { return columns >> column & 1; }

bool complete(const WordTally& tally, std::size_t terms) {
  return std::ranges::all_of(tally.occurrences.begin(), tally.occurrences.begin() + static_cast<std::ptrdiff_t>(terms),
                             [](std::int32_t occurrences) { return occurrences > 0; });
}

}  // namespace

bool RowReader::has_any(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope, int first, int end) {
  for (int phrase = first; phrase < end; ++phrase) {
    Fts5PhraseIter iterator;
    int column = 0, place = 0;
    if (api.xPhraseFirst(context, phrase, &iterator, &column, &place) != SQLITE_OK) continue;
    for (; column >= 0; api.xPhraseNext(context, &iterator, &column, &place)) {
      if (counts(scope.columns, column)) return true;
    }
  }
  return false;
}

bool RowReader::read(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope, WordTally& tally) {
  if (terms_.required == 1) return read_one(api, context, scope, tally);
  bool any = false;
  for (std::size_t term = 0; term < terms_.required; ++term) {
    std::vector<Place>& places = places_[term];
    places.clear();
    Fts5PhraseIter iterator;
    int column = 0, place = 0;
    if (api.xPhraseFirst(context, static_cast<int>(term), &iterator, &column, &place) != SQLITE_OK) continue;
    for (; column >= 0; api.xPhraseNext(context, &iterator, &column, &place)) {
      if (!counts(scope.columns, column)) continue;
      any = true;
      tally.add(term, counts(scope.strong, column) ? 2 : 1);
      tally.first = std::min<std::int32_t>(tally.first, place);
      if (places.size() < kMostPlaces) places.push_back({column, place});
    }
  }
  for (std::size_t term = 0; term + 1 < terms_.required; ++term) {
    tally.distances[term] = std::min(tally.distances[term], closest(term));
  }
  return any;
}

bool RowReader::read_one(const Fts5ExtensionApi& api, Fts5Context* context, const WordScope& scope, WordTally& tally) {
  Fts5PhraseIter iterator;
  int column = 0, place = 0;
  std::int32_t occurrences = 0;
  std::int32_t first = tally.first;
  if (api.xPhraseFirst(context, 0, &iterator, &column, &place) != SQLITE_OK) return false;
  for (; column >= 0; api.xPhraseNext(context, &iterator, &column, &place)) {
    if (!counts(scope.columns, column)) continue;
    occurrences += counts(scope.strong, column) ? 2 : 1;
    first = std::min<std::int32_t>(first, place);
  }
  tally.first = first;
  tally.add(0, occurrences);
  return occurrences > 0;
}

// Both are sorted: of two places the one that comes first can only come closer by moving on.
std::int32_t RowReader::closest(std::size_t term) const {
  std::int32_t least = kNowhere;
  auto a = places_[term].begin();
  auto b = places_[term + 1].begin();
  while (a != places_[term].end() && b != places_[term + 1].end()) {
    if (a->column == b->column) {
      least = std::min(least, word_distance(a->place, terms_.lengths[term], b->place, terms_.lengths[term + 1]));
    }
    const bool a_first = a->column != b->column ? a->column < b->column : a->place < b->place;
    a_first ? ++a : ++b;
  }
  return least;
}

void SingleHits::look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) {
  const std::int64_t number = number_of(row);
  const ScopeBlock* const block = blocks_.find(number);
  if (!block) return;
  const WordScope& scope = scopes_[block->scope];
  WordTally tally(terms_.required);
  if (!reader_.read(api, context, scope, tally) || !complete(tally, terms_.required)) return;
  if (RowReader::has_any(api, context, scope, terms_.all.first_excluded, terms_.all.end_excluded)) return;
  found.push_back({number, word_score(tally, terms_.required), block->scope});
}

int SingleHits::show(const Fts5ExtensionApi* api, Fts5Context* context, void* self) {
  auto* const hits = static_cast<SingleHits*>(self);
  const bool due = hits->CountingSink::hit(*api, context);
  return due && !hits->pause_() ? SQLITE_DONE : SQLITE_OK;
}

bool SingleHits::hit(const Fts5ExtensionApi& api, Fts5Context* context) {
  if (!pause_) return CountingSink::hit(api, context);
  if (few_left_ > 0) {
    --few_left_;
    look(api, context, api.xRowid(context));
    return false;
  }
  found.clear();  // they all come again
  walked_ = api.xQueryPhrase(context, 0, this, show) == SQLITE_OK;
  return true;
}

bool TextHits::matches(const Seen& seen) const { return !seen.excluded && complete(seen.tally, terms_.required); }

void TextHits::end_text() {
  if (!seen_) return;
  if (const auto shared = shared_.find(text_); shared != shared_.end()) {
    Seen& joined = joined_.try_emplace(shared->second, terms_.required).first->second;
    joined.tally.merge(seen_->tally, terms_.required);
    joined.scope = seen_->scope;
    joined.excluded |= seen_->excluded;
  } else if (matches(*seen_)) {
    found.push_back({text_, word_score(seen_->tally, terms_.required), seen_->scope});
  }
  seen_.reset();
}

std::vector<WordCandidate> TextHits::shared_found() {
  std::vector<WordCandidate> records;
  for (const auto& [record, seen] : joined_) {
    if (matches(seen)) records.push_back({record, word_score(seen.tally, terms_.required), seen.scope});
  }
  joined_.clear();
  return records;
}

void TextHits::look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) {
  const TextNo text = number_of(row);
  if (text != text_) {
    end_text();
    text_ = text;
    if (const ScopeBlock* const block = blocks_.find(text)) seen_.emplace(terms_.required).scope = block->scope;
  }
  if (!seen_) return;
  const WordScope& scope = scopes_[seen_->scope];
  reader_.read(api, context, scope, seen_->tally);
  if (RowReader::has_any(api, context, scope, terms_.any.first_excluded, terms_.any.end_excluded)) seen_->excluded = true;
}

void FewTexts::look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId row) {
  const TextNo text = number_of(row);
  const ScopeBlock* const block = blocks_.find(text);
  rows_ += block ? 1 : 0;  // what no scope has must not decide which way the search goes
  if (!texts.empty() && texts.back() == text) return;
  if (block && RowReader::has_any(api, context, scopes_[block->scope], 0, 1)) texts.push_back(text);
}

bool BestRows::better(const Row& a, const Row& b) {
  if (a.terms != b.terms) return a.terms > b.terms;
  return a.score != b.score ? a.score > b.score : a.id < b.id;
}

void BestRows::look(const Fts5ExtensionApi& api, Fts5Context* context, WordRowId id) {
  WordTally tally(terms_.required);
  if (!reader_.read(api, context, scope_, tally)) return;
  Row row{id, word_score(tally, terms_.required), 0, 0};
  for (std::size_t term = 0; term < terms_.required; ++term) {
    if (tally.occurrences[term] > 0) row.has |= std::uint32_t{1} << term;
  }
  row.terms = static_cast<std::size_t>(std::popcount(row.has));
  if (!best_ || better(row, *best_)) best_ = row;
  for (std::size_t term = 0; term < terms_.required; ++term) {
    std::optional<Row>& best = best_of_[term];
    if (row.has >> term & 1 && (!best || better(row, *best))) best = row;
  }
}

std::vector<WordRowId> BestRows::choose() const {
  if (!best_) return {};
  std::vector<WordRowId> rows = {best_->id};
  std::uint32_t shown = best_->has;
  for (std::size_t term = 0; term < terms_.required; ++term) {
    if (shown >> term & 1 || !best_of_[term]) continue;
    rows.push_back(best_of_[term]->id);
    shown |= best_of_[term]->has;
  }
  return rows;
}

}  // namespace ladder::store::sqlite
