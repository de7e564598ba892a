#include "store/postgres/search/word_texts.h"

#include "store/postgres/search/word_search.h"

#include <algorithm>
#include <bit>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kFindPassages{kFindPassagesSql};
constexpr Statement kReadPassages{kReadPassagesSql};
constexpr Statement kRecordsOfTexts{kRecordsOfTextsSql};
constexpr Statement kPassagePlaces{kPassagePlacesSql};

constexpr std::size_t kMaxPassages = 4;  // of a hit, but for those that bring a term

Int8Array numbers(const std::set<TextNo>& texts) {
  Int8Array array;
  for (const TextNo text : texts) array.add(text);
  return array;
}

}  // namespace

Result<WordTexts::Texts> WordTexts::find_texts(const WordGroup& group, const std::string& query, const Texts* among) {
  const Int8Array streams = group.stream_numbers();
  LADDER_TRY(const Rows rows, among == nullptr ? connection_.run_last(kFindPassages, TextForm{query}, streams, TextForm{})
                                               : connection_.run_last(kFindPassages, TextForm{query}, streams, numbers(*among)));
  Texts texts;
  for (int row = 0; row < rows.size(); ++row) texts.insert(rows.int8(row, 0));
  return texts;
}

Result<WordCandidates> WordTexts::find_records(const WordGroup& group, const std::string& term_query) {
  LADDER_TRY(const Texts texts, find_texts(group, term_query, nullptr));
  return records_of(group, texts);
}

// With every required term, or one that finds; without those that are excluded.
Result<WordTexts::Texts> WordTexts::candidate_texts(const WordScoring& scoring, const WordGroup& group) {
  Texts texts;
  const bool must = std::ranges::any_of(query_.terms, &WordTerm::must);
  bool first = true;
  for (std::size_t term = 0; term < query_.terms.size(); ++term) {
    if (must ? !query_.terms[term].must : (scoring.weights.finders >> term & 1) == 0) continue;
    if (must && !group.terms[term]) return Texts();
    if (!group.terms[term]) continue;
    LADDER_TRY(Texts with, find_texts(group, *group.terms[term], must && !first ? &texts : nullptr));
    if (must) texts = std::move(with);
    else texts.merge(with);
    first = false;
    if (must && texts.empty()) return texts;
  }
  for (const auto& excluded : group.excluded) {
    if (!excluded || texts.empty()) continue;
    LADDER_TRY(const Texts without, find_texts(group, *excluded, &texts));
    std::erase_if(texts, [&](TextNo text) { return without.contains(text); });
  }
  return texts;
}

Result<WordCandidates> WordTexts::records_of(const WordGroup& group, const Texts& texts) {
  WordCandidates found;
  if (texts.empty()) return found;
  LADDER_TRY(const Rows records, connection_.run_last(kRecordsOfTexts, numbers(texts)));
  for (int row = 0; row < records.size(); ++row) {
    const WordStream* stream = group.find(records.int8(row, 2));
    const std::int64_t place = word_place(records.maybe_int8(row, 3));
    if (stream == nullptr || place < stream->low || place > stream->high) continue;
    WordCandidate& candidate = found.emplace_back();
    candidate.text = records.int8(row, 0);
    candidate.record = records.int8(row, 1);
    candidate.place = stream->timed ? place : kNoPlace;
    candidate.key = records.text(row, 4);
    candidate.scope = stream->scope;
  }
  return found;
}

Status WordTexts::read(const WordScoring& scoring, const WordGroup& group, const Texts& texts) {
  LADDER_TRY(const Rows rows,
             connection_.run_last(kReadPassages, group.any, group.stream_numbers(), numbers(texts), group.lexemes));
  for (int row = 0; row < rows.size(); ++row) {
    Match& match = found_[rows.int8(row, 0)];
    WordAccumulator accumulator;
    if (!group.reader->read(rows.bytes(row, 3), *group.scope, accumulator)) continue;
    match.accumulator.merge(accumulator);
    const std::int64_t passage = rows.int8(row, 1);
    if (passage < 0) continue;  // of a short text
    Row& made = match.rows.emplace_back();
    made.passage = passage;
    made.score = first_score(query_, scoring.weights, accumulator);
    for (std::size_t term = 0; term < query_.terms.size(); ++term) made.terms |= std::uint32_t{accumulator.has(term)} << term;
  }
  return {};
}

Result<WordCandidates> WordTexts::find(const WordScoring& scoring, const WordGroup& group) {
  LADDER_TRY(const Texts texts, candidate_texts(scoring, group));
  LADDER_TRY(WordCandidates found, records_of(group, texts));
  if (found.empty()) return found;
  Texts seen;
  for (const WordCandidate& candidate : found) seen.insert(candidate.text);
  LADDER_CHECK(read(scoring, group, seen));
  for (WordCandidate& candidate : found) {
    const WordAccumulator& accumulator = found_[candidate.text].accumulator;
    candidate.score = first_score(query_, scoring.weights, accumulator);
    candidate.all = has_all(query_, accumulator);
    candidate.counts = accumulator.counts();
  }
  return found;
}

Result<std::vector<WordPassage>> WordTexts::passages(TextNo text) {
  std::vector<Row> rows = found_[text].rows;
  std::ranges::sort(rows, {}, [](const Row& row) { return std::tuple(-std::popcount(row.terms), -row.score, row.passage); });
  std::uint32_t shown = 0;
  Int8Array texts, chosen;
  for (const Row& row : rows) {
    if ((row.terms & ~shown) == 0 && static_cast<std::size_t>(chosen.size()) >= kMaxPassages) continue;
    shown |= row.terms;
    texts.add(text);
    chosen.add(row.passage);
  }
  std::vector<WordPassage> passages;
  if (chosen.empty()) return passages;
  LADDER_TRY(const Rows places, connection_.run_last(kPassagePlaces, texts, chosen));
  for (int row = 0; row < places.size(); ++row) {
    passages.push_back(
        {.column = static_cast<int>(places.int8(row, 0)), .start = places.int8(row, 1), .end = places.int8(row, 2)});
  }
  return passages;
}

}  // namespace ladder::store::postgres
