#include "store/postgres/word_group.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <tuple>

namespace ladder::store::postgres {
namespace {

// Records without a time lie at kNoPlace, beyond every bound of time.
WordStream word_stream(const WordScope& scope, std::size_t number) {
  WordStream stream{.no = scope.stream,
                    .scope = number,
                    .timed = scope.timed,
                    .low = std::numeric_limits<std::int64_t>::min(),
                    .high = kNoPlace};
  if (scope.since || scope.until) stream.high = kNoPlace - 1;
  if (scope.since) stream.high = word_place(scope.since);
  if (scope.until) stream.low = word_place(scope.until) + 1;
  return stream;
}

void make_score(WordGroup& group, const WordQuery& query) {
  std::array<std::optional<std::string>, kMaxWordColumns> by_column;
  std::vector<std::optional<std::string>> further;
  std::size_t used = 0;
  for (int column = 0; column < kMaxWordColumns; ++column) {
    if ((group.columns >> column & 1) == 0) {
      group.column_scales.add(0);
      continue;
    }
    const RankQuery rank = rank_query(group.owner, column, query);
    const std::int64_t scale = rank.words * kWordScore * (group.is_strong(column) ? 2 : 1);
    by_column[static_cast<std::size_t>(column)] = rank.text;
    group.column_scales.add(scale);
    if (used < group.score.query.size()) {
      group.score.query[used] = {rank.text};
      group.score.scale[used++] = scale;
    } else {
      further.emplace_back(rank.text);
      group.score.further_scales.add(scale);
    }
  }
  group.column_queries = {query_array(by_column)};
  if (!further.empty()) group.score.further = {query_array(further)};
  group.score.neighbours = {neighbours_query(group.owner, group.columns, query)};
}

void make_queries(WordGroup& group, const WordQuery& query) {
  group.match = {record_query(group.owner, group.columns, query)};
  for (const WordTerm& term : query.required) group.required.push_back({term_query(group.owner, group.columns, term)});
  for (const WordTerm& term : query.excluded) group.excluded.push_back({term_query(group.owner, group.columns, term)});
  make_score(group, query);
}

}  // namespace

Int8Array WordGroup::stream_numbers() const {
  Int8Array numbers;
  for (const WordStream& stream : streams) numbers.add(stream.no);
  return numbers;
}

const WordStream* WordGroup::find(StreamNo stream) const {
  const auto at = std::ranges::lower_bound(streams, stream, {}, &WordStream::no);
  return at == streams.end() || at->no != stream ? nullptr : &*at;
}

std::vector<WordGroup> group_scopes(const WordSearch& search, std::span<const OwnerNo> owners) {
  std::map<std::tuple<OwnerNo, WordColumns, WordColumns>, WordGroup> by_columns;
  for (std::size_t i = 0; i < search.scopes.size(); ++i) {
    const WordScope& scope = search.scopes[i];
    if (owners[i] == 0 || scope.columns == 0) continue;
    const WordColumns strong = scope.strong & scope.columns;
    WordGroup& group = by_columns[{owners[i], scope.columns, strong}];
    group.owner = owners[i];
    group.columns = scope.columns;
    group.strong = strong;
    group.streams.push_back(word_stream(scope, i));
  }
  std::vector<WordGroup> groups;
  for (auto& [columns, group] : by_columns) {
    std::ranges::sort(group.streams, {}, &WordStream::no);
    make_queries(group, *search.query);
    groups.push_back(std::move(group));
  }
  return groups;
}

bool is_after(const WordCandidate& candidate, const TimePlace& place) {
  return std::tie(candidate.place, candidate.key, candidate.scope) > std::tie(place.place, place.key, place.scope);
}

bool comes_by_time(const WordCandidate& a, const WordCandidate& b) {
  return std::tie(a.place, a.key, a.scope) < std::tie(b.place, b.key, b.scope);
}

bool comes_by_score(const WordCandidate& a, const WordCandidate& b) {
  if (a.score != b.score) return a.score > b.score;
  return comes_by_time(a, b);
}

}  // namespace ladder::store::postgres
