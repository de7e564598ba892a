#include "store/postgres/word_lookup.h"

#include "store/postgres/word_statements.h"

#include <algorithm>
#include <limits>

namespace ladder::store::postgres {
namespace {

constexpr Statement kFindWords{kFindWordsSql};
constexpr Statement kCountWords{kCountWordsSql};
constexpr Statement kFindWordsInOrder{kFindWordsInOrderSql};
constexpr Statement kWalkWords{kWalkWordsSql};
constexpr Statement kWalkWordsByKey{kWalkWordsByKeySql};
constexpr Statement kProbeWords{kProbeWordsSql};

constexpr std::int64_t kProbedRows = 128;
constexpr std::size_t kProbedStreams = 8;
constexpr double kHitsOfNone = 0.1;  // a word that the probe has not met is as common as this many hits would make it

// `stream_at` gives the stream at a place among those asked for, from 0.
template <class StreamAt>
WordCandidates read_candidates(const Rows& rows, const StreamAt& stream_at) {
  WordCandidates candidates(static_cast<std::size_t>(rows.size()));
  for (int row = 0; row < rows.size(); ++row) {
    const WordStream& stream = stream_at(static_cast<std::size_t>(rows.int8(row, 0) - 1));
    WordCandidate& candidate = candidates[static_cast<std::size_t>(row)];
    candidate.record = rows.int8(row, 1);
    candidate.place = stream.timed ? rows.int8(row, 2) : kNoPlace;
    candidate.key = rows.bytes(row, 3);
    candidate.scope = stream.scope;
  }
  return candidates;
}

void score_candidates(const Rows& rows, const WordScoring& scoring, const WordGroup& group, WordCandidates& candidates) {
  for (int row = 0; row < rows.size(); ++row) {
    WordCandidate& candidate = candidates[static_cast<std::size_t>(row)];
    WordTally tally;
    group.reader->read(rows.bytes(row, 4), scoring.scopes[candidate.scope], tally);
    candidate.score = first_score(scoring.query, scoring.weights, tally);
    candidate.all = has_all(scoring.query, tally);
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

void queue_probe(Connection& connection, const WordGroup& group) {
  Int8Array probed;
  const std::size_t count = std::min(group.streams.size(), kProbedStreams);
  for (std::size_t i = 0; i < count; ++i) probed.add(group.streams[i * group.streams.size() / count].no);
  connection.add(kProbeWords, group.match, group.stream_numbers(), probed,
                 kProbedRows / static_cast<std::int64_t>(std::max<std::size_t>(count, 1)));
}

WordProbe read_probe(const Rows& rows) {
  WordProbe probe{.records = rows.int8(0, 0), .texts = rows.boolean(0, 1)};
  const auto seen = static_cast<double>(std::max<std::int64_t>(rows.int8(0, 2), 1));
  probe.share = std::max(static_cast<double>(rows.int8(0, 3)), kHitsOfNone) / seen;
  return probe;
}

void queue_count(Connection& connection, const WordGroup& group, const std::string& query, std::int64_t limit) {
  const PlaceBounds bounds(group);
  connection.add(kCountWords, TextForm{query}, group.stream_numbers(), bounds.low, bounds.high, limit);
}

Result<WordCandidates> find_records(Connection& connection, const WordGroup& group, const std::string& query) {
  const PlaceBounds bounds(group);
  LADDER_TRY(const Rows rows, connection.run_last(kFindWords, TextForm{query}, group.stream_numbers(), bounds.low, bounds.high,
                                                  std::numeric_limits<std::int64_t>::max(), TextForm{"{}"}));
  return read_candidates(rows, [&](std::size_t at) -> const WordStream& { return group.streams[at]; });
}

Result<WordCandidates> find_words(Connection& connection, const WordScoring& scoring, const WordGroup& group,
                                  std::int64_t limit) {
  const PlaceBounds bounds(group);
  LADDER_TRY(const Rows rows,
             connection.run_last(kFindWords, group.match, group.stream_numbers(), bounds.low, bounds.high, limit, group.lexemes));
  auto found = read_candidates(rows, [&](std::size_t at) -> const WordStream& { return group.streams[at]; });
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
