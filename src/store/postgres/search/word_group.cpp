#include "store/postgres/search/word_group.h"

#include "store/postgres/search/word_search.h"

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

}  // namespace

void make_queries(WordGroup& group, const WordQuery& query) {
  std::string any;
  group.terms.clear();
  group.excluded.clear();
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

bool WordGroup::is_few_at_all_times() const {
  constexpr std::size_t kFew = 16;  // that are looked through one by one for each row
  return streams.size() <= kFew && std::ranges::all_of(streams, [](const WordStream& stream) {
           return stream.low == std::numeric_limits<std::int64_t>::min() && stream.high == kNoPlace;
         });
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

namespace {

constexpr Statement kFindWords{kFindWordsSql};
constexpr Statement kCountWords{kCountWordsSql};
constexpr Statement kFindWordsAtAllTimes{kFindWordsAtAllTimesSql};
constexpr Statement kCountWordsAtAllTimes{kCountWordsAtAllTimesSql};
constexpr Statement kFindWordsInOrder{kFindWordsInOrderSql};
constexpr Statement kWalkWords{kWalkWordsSql};
constexpr Statement kWalkWordsByKey{kWalkWordsByKeySql};
constexpr Statement kProbeWords{kProbeWordsSql};

constexpr std::int64_t kProbedRows = 128;
constexpr std::size_t kProbedStreams = 8;
constexpr double kHitsOfNone = 0.1;  // a word that the probe has not met is as common as this many hits would make it

void read_candidate(const Rows& rows, int row, const WordStream& stream, WordCandidate& candidate) {
  candidate.record = rows.int8(row, 1);
  candidate.place = stream.timed ? rows.int8(row, 2) : kNoPlace;
  candidate.key = rows.bytes(row, 3);
  candidate.scope = stream.scope;
}

// `stream_at` gives the stream at a place among those asked for, from 0.
template <class StreamAt>
WordCandidates read_candidates(const Rows& rows, const StreamAt& stream_at) {
  WordCandidates candidates(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    const WordStream& stream = stream_at(static_cast<std::size_t>(rows.int8(row, 0) - 1));
    read_candidate(rows, row, stream, candidates[static_cast<std::size_t>(row)]);
  }
  return candidates;
}

void score_candidates(const Rows& rows, const WordScoring& scoring, const WordGroup& group, WordCandidates& candidates) {
  for (int row = 0; row < rows.size(); ++row) {
    WordCandidate& candidate = candidates[static_cast<std::size_t>(row)];
    WordAccumulator accumulator;
    group.reader->read(rows.bytes(row, 4), scoring.scopes[candidate.scope], accumulator);
    candidate.score = first_score(scoring.query, scoring.weights, accumulator);
    candidate.all = has_all(scoring.query, accumulator);
    candidate.counts = accumulator.counts();
  }
}

struct PlaceBounds {
  Int8Array low, high, timed, scopes;

  explicit PlaceBounds(const WordGroup& group) {
    for (const WordStream& stream : group.streams) {
      low.add(stream.low);
      high.add(stream.high);
      timed.add(stream.timed ? 1 : 0);
      scopes.add(static_cast<std::int64_t>(stream.scope));
    }
  }
};

}  // namespace

Answer ask_probe(Batch& batch, const WordGroup& group) {
  Int8Array probed;
  const std::size_t count = std::min(group.streams.size(), kProbedStreams);
  for (std::size_t i = 0; i < count; ++i) probed.add(group.streams[i * group.streams.size() / count].no);
  return batch.ask(kProbeWords, group.match, probed, kProbedRows / static_cast<std::int64_t>(std::max<std::size_t>(count, 1)));
}

double read_probe(const Rows& rows) {
  const auto seen = static_cast<double>(std::max<std::int64_t>(rows.int8(0, 0), 1));
  return std::max(static_cast<double>(rows.int8(0, 1)), kHitsOfNone) / seen;
}

Answer ask_count(Batch& batch, const WordGroup& group, const std::string& query, std::int64_t limit) {
  if (group.is_few_at_all_times()) return batch.ask(kCountWordsAtAllTimes, TextForm{query}, group.stream_numbers(), limit);
  const PlaceBounds bounds(group);
  return batch.ask(kCountWords, TextForm{query}, group.stream_numbers(), bounds.low, bounds.high, limit);
}

Result<WordCandidates> find_records(Connection& connection, const WordGroup& group, const std::string& query) {
  const PlaceBounds bounds(group);
  LADDER_TRY(const Rows rows, connection.run_last(kFindWords, TextForm{query}, group.stream_numbers(), bounds.low, bounds.high,
                                                  std::numeric_limits<std::int64_t>::max(), TextForm{"{}"}));
  return read_candidates(rows, [&](std::size_t at) -> const WordStream& { return group.streams[at]; });
}

Answer ask_find(Batch& batch, const WordGroup& group, std::int64_t limit) {
  if (group.is_few_at_all_times()) {
    return batch.ask(kFindWordsAtAllTimes, group.match, group.stream_numbers(), limit, group.lexemes);
  }
  const PlaceBounds bounds(group);
  return batch.ask(kFindWords, group.match, group.stream_numbers(), bounds.low, bounds.high, limit, group.lexemes);
}

WordCandidates read_found(const Rows& rows, const WordScoring& scoring, const WordGroup& group) {
  WordCandidates found;
  if (group.is_few_at_all_times()) {
    found.resize(static_cast<std::size_t>(rows.size()));
    for (int row = 0; row < rows.size(); ++row) {
      read_candidate(rows, row, *group.find(rows.int8(row, 0)), found[static_cast<std::size_t>(row)]);
    }
  } else {
    found = read_candidates(rows, [&](std::size_t at) -> const WordStream& { return group.streams[at]; });
  }
  score_candidates(rows, scoring, group, found);
  return found;
}

Result<WordCandidates> find_words_in_order(Connection& connection, const WordScoring& scoring, const WordGroup& group,
                                           const TimePlace& from, std::int64_t limit) {
  const PlaceBounds bounds(group);
  LADDER_TRY(const Rows rows, connection.run_last(kFindWordsInOrder, group.match, group.stream_numbers(), bounds.low, bounds.high,
                                                  limit, group.lexemes, bounds.timed, from.place, from.key, bounds.scopes));
  auto found = read_candidates(rows, [&](std::size_t at) -> const WordStream& { return group.streams[at]; });
  score_candidates(rows, scoring, group, found);
  return found;
}

Result<WordCandidates> walk_words(Connection& connection, const WordScoring& scoring, const WordGroup& group,
                                  std::span<const WordWalk> walks, std::int64_t limit_each) {
  Int8Array numbers, low, high;
  ByteaArray low_key;
  bool timed = true;
  for (const WordWalk& walk : walks) {
    const WordStream& stream = *walk.stream;
    timed = stream.timed;
    numbers.add(stream.no);
    low.add(timed ? std::max(stream.low, walk.from.place) : stream.low);
    low_key.add(timed && walk.from.place < stream.low ? std::string_view() : std::string_view(walk.from.key));
    high.add(stream.high);
  }
  LADDER_TRY(const Rows rows, connection.run_last(timed ? kWalkWords : kWalkWordsByKey, group.match, numbers, low, low_key, high,
                                                  group.lexemes, limit_each));
  auto found = read_candidates(rows, [&](std::size_t at) -> const WordStream& { return *walks[at].stream; });
  score_candidates(rows, scoring, group, found);
  return found;
}

}  // namespace ladder::store::postgres
