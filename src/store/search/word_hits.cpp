#include "store/search/word_hits.h"

#include "store/search/newest_ties.h"
#include "store/search/top_hits.h"

#include <algorithm>
#include <bit>
#include <limits>

namespace ladder::store {

WordRanking::WordRanking(const WordSearch& search, std::int64_t measured_above, bool choose)
    : by_score_(search.order == text::WordOrder::kScore),
      choose_(choose),
      folds_(store::folds(search)),
      measured_above_(measured_above),
      after_(search.after ? &*search.after : nullptr),
      wanted_(static_cast<std::size_t>(search.limit) + 1 + (choose || folds_ ? text::kMeasuredRecords + 1 : 0) +
              (folds_ ? text::kMaxSkippedHits : 0)) {
  if (folds_ && search.weights && measured_above_ == text::kNothingMeasured) {
    head_score_ = search.head_end ? search.head_end->score : std::numeric_limits<std::int64_t>::min();
  }
  if (!after_ || choose_ || measured_above_ == text::kNothingMeasured) return;
  past_measured_ = after_->score <= measured_above_;
  if (!past_measured_) after_ = nullptr;  // none of the rest has been returned yet
}

void WordRanking::add(const CountedCandidate& candidate) {
  ++matches_;
  matches_all_ += candidate.all ? 1 : 0;
  if (!by_score_) {
    rest_.push_back(candidate);
    return;
  }
  if (!choose_ && measured_above_ != text::kNothingMeasured && candidate.score > measured_above_) {
    if (!past_measured_ || folds_) measured_.push_back(candidate);
    return;
  }
  if (head_score_ && candidate.score >= *head_score_) head_.push_back(candidate);
  if (after_ && candidate.score > after_->score) return;
  if (after_ && candidate.score == after_->score) ties_.push_back(candidate);
  else keep(candidate);
}

void WordRanking::keep(const CountedCandidate& candidate) {
  bool ties = false;
  if (best_.size() == wanted_) {
    if (candidate.score < best_.top()) {
      cut_ = true;
      return;
    }
    ties = candidate.score == best_.top();
    if (!ties) best_.pop();
  }
  if (best_.size() < wanted_) best_.push(candidate.score);
  if (choose_ && !ties) measured_.push_back(candidate);
  else rest_.push_back(candidate);
  if (rest_.size() + measured_.size() >= prune_at_) prune();
}

void WordRanking::prune() {
  if (best_.size() == wanted_) {
    const auto worse = [&](const WordCandidate& kept) { return kept.score < best_.top(); };
    cut_ = std::erase_if(rest_, worse) > 0 || cut_;
    if (choose_) {
      cut_ = std::erase_if(measured_, worse) > 0 || cut_;
      keep_measured_above(best_.top());
    }
  }
  prune_at_ = std::max<std::size_t>((rest_.size() + measured_.size()) * 2, 1024);
}

// Only measured candidates need their counts.
void WordRanking::keep_measured_above(std::int64_t score) {
  const auto rest = std::ranges::partition(measured_, [&](const WordCandidate& kept) { return kept.score > score; });
  rest_.insert(rest_.end(), rest.begin(), rest.end());
  measured_.erase(rest.begin(), rest.end());
}

void WordRanking::finish() {
  if (!by_score_) return;
  prune();
  if (!choose_) return;
  std::vector<WordCandidate> best(measured_.begin(), measured_.end());
  best.insert(best.end(), rest_.begin(), rest_.begin() + std::min(std::ssize(rest_), std::ssize(best_)));
  measured_above_ = store::measured_above(best);
  keep_measured_above(measured_above_);
}

Status WordRanking::drop_ties(SearchRows& rows, std::span<const WordScope> scopes) {
  if (!by_score_) return {};
  const std::size_t before = rest_.size();
  LADDER_CHECK(drop_older_ties(rows, scopes, wanted_, rest_));
  cut_ = cut_ || rest_.size() < before;
  return {};
}

namespace {

using Kind = PhraseMeaning::Kind;

bool counts(text::WordColumns columns, int column) { return columns >> column & 1; }

}  // namespace

RowReader::Found RowReader::read(const PostingWalk& row, const WordScope& scope, text::WordAccumulator& accumulator) {
  Found found;
  row.each_phrase([&](std::size_t phrase) {
    const PhraseMeaning& meaning = expression_.phrases[phrase];
    if (meaning.kind == Kind::kExcluded) {
      const text::WordColumns columns = scope.of_term(query_.terms.size() + meaning.term);
      row.each_position(phrase, [&](int column, int) {
        found.excluded = found.excluded || counts(columns, column);
        return !found.excluded;
      });
      return;
    }
    row.each_position(phrase, [&](int column, int position) {
      positions_.add(scope, meaning.term, column, position, meaning.kind == Kind::kForm, accumulator);
      return true;
    });
  });
  found.any = positions_.end(accumulator);
  return found;
}

std::uint32_t RowReader::phrases_in(const PostingWalk& row, const WordScope& scope) const {
  std::uint32_t seen = 0;
  row.each_phrase([&](std::size_t phrase) {
    const text::WordColumns columns = scope.of_term(expression_.phrases[phrase].term);
    bool has = false;
    row.each_position(phrase, [&](int column, int) {
      has = counts(columns, column);
      return !has;
    });
    if (has) seen |= std::uint32_t{1} << std::min<std::size_t>(phrase, 31);
  });
  return seen;
}

void SingleHits::look(const PostingWalk& walk, WordRowId row) {
  const std::int64_t number = number_of(row);
  const ScopeBlock* const block = blocks_.find(number);
  if (!block) return;
  text::WordAccumulator accumulator;
  const RowReader::Found seen = reader_.read(walk, context_.scopes[block->scope], accumulator);
  if (!seen.any || seen.excluded || !text::is_hit(context_.query, context_.weights, accumulator)) return;
  found.push_back({{number, text::first_score(context_.query, context_.weights, accumulator), block->scope,
                    text::has_all(context_.query, accumulator)},
                   accumulator.counts()});
}

void TextHits::add(std::int64_t number, const Seen& seen, std::vector<CountedCandidate>& to) const {
  if (seen.excluded || !text::is_hit(context_.query, context_.weights, seen.accumulator)) return;
  to.push_back({{number, text::first_score(context_.query, context_.weights, seen.accumulator), seen.scope,
                 text::has_all(context_.query, seen.accumulator)},
                seen.accumulator.counts()});
}

void TextHits::end_text() {
  if (!seen_) return;
  if (const auto shared = shared_.find(text_); shared != shared_.end()) {
    Seen& joined = joined_[shared->second];
    joined.accumulator.merge(seen_->accumulator);
    joined.scope = seen_->scope;
    joined.excluded |= seen_->excluded;
  } else {
    add(text_, *seen_, found);
  }
  seen_.reset();
}

std::vector<CountedCandidate> TextHits::shared_found() {
  std::vector<CountedCandidate> records;
  for (const auto& [record, seen] : joined_) add(record, seen, records);
  joined_.clear();
  return records;
}

void TextHits::look(const PostingWalk& walk, WordRowId row) {
  const TextNo text = number_of(row);
  if (text != text_) {
    end_text();
    text_ = text;
    const ScopeBlock* const block = blocks_.find(text);
    const bool wanted = block && (!texts_ || std::ranges::binary_search(*texts_, text));
    if (wanted) seen_ = Seen{.accumulator = {}, .scope = block->scope, .excluded = false};
  }
  if (!seen_) return;
  text::WordAccumulator of_row;
  if (reader_.read(walk, context_.scopes[seen_->scope], of_row).excluded) seen_->excluded = true;
  seen_->accumulator.merge(of_row);
}

void NumbersWith::look(const PostingWalk& walk, WordRowId row) {
  const std::int64_t number = number_of(row);
  const ScopeBlock* const block = blocks_.find(number);
  if (!block) return;
  const std::uint32_t seen = reader_.phrases_in(walk, scopes_[block->scope]);
  phrases |= seen;
  if (seen == 0 || number == last_) return;
  last_ = number;
  found.push_back({number, 0, block->scope, false});
}

bool BestRows::better(const Row& a, const Row& b) {
  if (a.terms != b.terms) return a.terms > b.terms;
  return a.score != b.score ? a.score > b.score : a.id < b.id;
}

void BestRows::look(const PostingWalk& walk, WordRowId id, const HitContext& context, RowReader& reader) {
  text::WordAccumulator accumulator;
  if (!reader.read(walk, *scope_, accumulator).any) return;
  Row row{id, text::first_score(context.query, context.weights, accumulator), 0, 0};
  const std::size_t terms = context.query.terms.size();
  best_of_.resize(terms);
  for (std::size_t term = 0; term < terms; ++term) {
    if (accumulator.has(term)) row.has |= std::uint32_t{1} << term;
  }
  row.terms = static_cast<std::size_t>(std::popcount(row.has));
  if (!best_ || better(row, *best_)) best_ = row;
  for (std::size_t term = 0; term < terms; ++term) {
    std::optional<Row>& best = best_of_[term];
    if (row.has >> term & 1 && (!best || better(row, *best))) best = row;
  }
}

std::vector<WordRowId> BestRows::choose() const {
  if (!best_) return {};
  std::vector<WordRowId> rows = {best_->id};
  std::uint32_t shown = best_->has;
  for (const std::optional<Row>& best : best_of_) {
    if (!best || (best->has & ~shown) == 0) continue;
    rows.push_back(best->id);
    shown |= best->has;
  }
  return rows;
}

void PassageHits::expect(TextNo text, std::size_t hit, const WordScope& scope) {
  hits_.emplace(text, hit);
  best_.try_emplace(hit, scope);
}

void PassageHits::look(const PostingWalk& walk, WordRowId row) {
  if (const auto hit = hits_.find(number_of(row)); hit != hits_.end()) best_.at(hit->second).look(walk, row, context_, reader_);
}

std::vector<std::pair<std::size_t, WordRowId>> PassageHits::choose() const {
  std::vector<std::pair<std::size_t, WordRowId>> rows;
  for (const auto& [hit, best] : best_) {
    for (const WordRowId row : best.choose()) rows.emplace_back(hit, row);
  }
  return rows;
}

}  // namespace ladder::store
