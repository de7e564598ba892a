#include "store/postgres/word_texts.h"

#include "store/postgres/word_statements.h"

#include <algorithm>
#include <array>
#include <numeric>
#include <set>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr Statement kFindPassages{kFindPassagesSql};
constexpr Statement kRecordsOfTexts{kRecordsOfTextsSql};
constexpr Statement kScorePassages{kScorePassagesSql};
constexpr Statement kPassagePlaces{kPassagePlacesSql};

constexpr std::size_t kMostPassages = 8;  // of a hit, but for those that bring a term or a column

// As ts_rank saturates: sum of 1/i² over its limit, in thousandths of kWordScore, with the weight of words that are not early.
std::int64_t saturated(std::int64_t times) {
  static const auto table = [] {
    std::array<std::int64_t, 65> made{};
    double sum = 0;
    for (std::size_t i = 1; i < made.size(); ++i) {
      sum += 1.0 / static_cast<double>(i * i);
      made[i] = static_cast<std::int64_t>(0.8 * static_cast<double>(kWordScore) * sum / 1.64493406685);
    }
    return made;
  }();
  return table[static_cast<std::size_t>(std::clamp<std::int64_t>(times, 0, 64))];
}

std::size_t length(const WordTerm& term) {
  return std::accumulate(term.words.begin(), term.words.end(), std::size_t{0},
                         [](std::size_t sum, const std::string& word) { return sum + word.size(); });
}

}  // namespace

Result<WordCandidates> WordTexts::find(const WordGroup& group) {
  LADDER_TRY(Matches matches, match(group));
  LADDER_TRY(auto made, candidates(group, matches));
  for (auto& [text, match] : matches) found_.insert_or_assign(text, std::move(match));
  return made;
}

// The longest term first: it is the rarest, most likely, and the others are then only looked for in the texts that have it.
Result<WordTexts::Matches> WordTexts::match(const WordGroup& group) {
  std::vector<std::size_t> order(query_.required.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, std::greater<>(), [&](std::size_t term) { return length(query_.required[term]); });
  Matches matches;
  for (const std::size_t term : order) {
    LADDER_CHECK(require(group, term, term == order.front(), matches));
    if (matches.empty()) return matches;
  }
  for (const TextForm& term : group.excluded) {
    LADDER_CHECK(exclude(group, term, matches));
    if (matches.empty()) return matches;
  }
  return matches;
}

Status WordTexts::require(const WordGroup& group, std::size_t term, bool first, Matches& matches) {
  const std::uint32_t bit = std::uint32_t{1} << term;
  const Int8Array streams = group.stream_numbers();
  LADDER_TRY(const Rows rows, first ? connection_.run_last(kFindPassages, group.required[term], streams, TextForm{})
                                    : connection_.run_last(kFindPassages, group.required[term], streams, numbers(matches)));
  for (int row = 0; row < rows.size(); ++row) {
    const std::int64_t passage = rows.int8(row, 1);
    const auto column = static_cast<int>(rows.int8(row, 2));
    Match& match = matches[rows.int8(row, 0)];
    match.terms |= bit;
    if (passage >= 0) match.rows.push_back({.passage = passage, .column = column, .terms = bit});
  }
  std::erase_if(matches, [&](const auto& match) { return (match.second.terms & bit) == 0; });
  return {};
}

Status WordTexts::exclude(const WordGroup& group, const TextForm& query, Matches& matches) {
  LADDER_TRY(const Rows rows, connection_.run_last(kFindPassages, query, group.stream_numbers(), numbers(matches)));
  for (int row = 0; row < rows.size(); ++row) matches.erase(rows.int8(row, 0));
  return {};
}

Int8Array WordTexts::numbers(const Matches& matches) {
  std::vector<TextNo> sorted;
  sorted.reserve(matches.size());
  for (const auto& [text, match] : matches) sorted.push_back(text);
  std::ranges::sort(sorted);
  Int8Array array;
  for (const TextNo text : sorted) array.add(text);
  return array;
}

void WordTexts::merge_rows(Match& match) {
  std::ranges::sort(match.rows, {}, &Row::passage);
  std::vector<Row> merged;
  for (const Row& row : match.rows) {
    if (!merged.empty() && merged.back().passage == row.passage) merged.back().terms |= row.terms;
    else merged.push_back(row);
  }
  match.rows = std::move(merged);
}

void WordTexts::score_long(const WordGroup& group, Match& match) const {
  for (std::size_t term = 0; term < query_.required.size(); ++term) {
    std::array<std::int64_t, kMaxWordColumns> in_column{};
    for (const Row& row : match.rows) {
      if ((row.terms >> term & 1) != 0) ++in_column[static_cast<std::size_t>(row.column)];
    }
    for (int column = 0; column < kMaxWordColumns; ++column) {
      const std::int64_t weight = std::ssize(query_.required[term].words) * (group.is_strong(column) ? 2 : 1);
      match.score += weight * saturated(in_column[static_cast<std::size_t>(column)]);
    }
  }
  if (query_.required.size() < 2) return;
  match.together = std::ranges::any_of(match.rows, [&](const Row& row) { return row.terms == all_terms(); });
}

Status WordTexts::score_short(const WordGroup& group, Matches& matches) {
  LADDER_TRY(const Rows rows, connection_.run_last(kScorePassages, numbers(matches), group.column_queries, group.column_scales,
                                                   group.score.neighbours));
  for (int row = 0; row < rows.size(); ++row) {
    Match& match = matches[rows.int8(row, 0)];
    match.score += rows.int8(row, 1);
    match.together = match.together || (!rows.is_null(row, 2) && rows.boolean(row, 2));
  }
  return {};
}

Result<WordCandidates> WordTexts::candidates(const WordGroup& group, Matches& matches) {
  WordCandidates found;
  if (matches.empty()) return found;
  LADDER_TRY(const Rows records, connection_.run_last(kRecordsOfTexts, numbers(matches)));
  Matches visible;
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
    visible.insert(matches.extract(candidate.text));
  }
  matches = std::move(visible);
  if (matches.empty()) return found;
  for (auto& [text, match] : matches) {
    merge_rows(match);
    score_long(group, match);
  }
  LADDER_CHECK(score_short(group, matches));
  for (WordCandidate& candidate : found) {
    const Match& match = matches[candidate.text];
    candidate.score = match.score + (match.together ? kNeighbourScore : 0);
  }
  return found;
}

Result<std::vector<WordPassage>> WordTexts::passages(TextNo text) {
  std::vector<Row> rows = found_[text].rows;
  // The most terms first, then as they stand in the text.
  std::ranges::stable_sort(rows, std::greater<>(), [](const Row& row) { return std::popcount(row.terms); });
  std::uint32_t shown = 0;
  std::set<int> columns;
  Int8Array texts, chosen;
  for (const Row& row : rows) {
    const bool more = (row.terms & ~shown) != 0 || !columns.contains(row.column);
    if (!more && static_cast<std::size_t>(chosen.size()) >= kMostPassages) continue;
    shown |= row.terms;
    columns.insert(row.column);
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
