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

std::optional<std::string> query_or_none(std::string query) {
  if (query.empty()) return std::nullopt;
  return query;
}

void make_queries(WordGroup& group, const WordQuery& query) {
  std::string any;
  std::size_t number = 0;
  for (const auto& [terms, made] : {std::pair(&query.terms, &group.terms), std::pair(&query.excluded, &group.excluded)}) {
    for (const WordTerm& term : *terms) {
      std::string one = term_query(group.owner, term_columns(*group.scope, number++), term);
      if (!one.empty() && terms == &query.terms) any += (any.empty() ? "(" : " | (") + one + ")";
      made->push_back(query_or_none(std::move(one)));
    }
  }
  group.any = {query_or_none(std::move(any))};
  group.reader = std::make_shared<VectorReader>(query, group.owner, group.columns);
  group.lexemes = {group.reader->lexemes()};
}

}  // namespace

bool WordGroup::find_by(const WordQuery& query, const WordWeights& weights) {
  std::string found;
  const bool must = std::ranges::any_of(query.terms, &WordTerm::must);
  for (std::size_t term = 0; term < query.terms.size(); ++term) {
    if (must ? !query.terms[term].must : (weights.finders >> term & 1) == 0) continue;
    if (must && !terms[term]) return false;
    if (!terms[term]) continue;
    if (!found.empty()) found += must ? " & " : " | ";
    found += "(" + *terms[term] + ")";
  }
  if (found.empty()) return false;
  found = "(" + found + ")";
  for (const auto& term : excluded) {
    if (term) found += " & !(" + *term + ")";
  }
  match = {std::move(found)};
  return true;
}

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
  std::map<std::tuple<OwnerNo, WordColumns, WordColumns, WordColumns, std::vector<WordColumns>>, WordGroup> by_columns;
  for (std::size_t i = 0; i < search.scopes.size(); ++i) {
    const WordScope& scope = search.scopes[i];
    if (owners[i] == 0 || scope.columns == 0) continue;
    WordGroup& group = by_columns[{owners[i], scope.columns, scope.strong, scope.context, scope.term_columns}];
    group.owner = owners[i];
    group.columns = scope.columns;
    group.scope = &scope;
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

bool comes_before(WordOrder order, const WordCandidate& a, const WordCandidate& b) {
  if (order == WordOrder::kScore && a.score != b.score) return a.score > b.score;
  if (order != WordOrder::kOldest || a.place == b.place) return comes_by_time(a, b);
  if (a.place == kNoPlace || b.place == kNoPlace) return b.place == kNoPlace;
  return a.place > b.place;
}

}  // namespace ladder::store::postgres
