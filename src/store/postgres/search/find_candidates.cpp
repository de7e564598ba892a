#include "store/postgres/search/find_candidates.h"

#include "store/postgres/search/term_counts.h"
#include "store/postgres/search/time_order.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <utility>

namespace ladder::store::postgres {
namespace {

// In microseconds, about: a row that is walked over, and one that the word index finds.
constexpr double kWalkedCost = 0.6, kFoundCost = 1.3;

// Somewhat more than can be ranked cost less than their order.
std::int64_t found_at_most(std::int64_t most) { return most < kNoLimit ? 2 * most : most; }

bool may_be_more_than(const SearchState& state, std::int64_t limit) {
  double expected = 0;
  for (const SearchGroup& group : state.groups) {
    expected += group.share * static_cast<double>(group.records) + static_cast<double>(group.texts.size());
  }
  return limit < kNoLimit && expected > 0.75 * static_cast<double>(limit);
}

// All rows of the group by time, beside those of the owner that match by the word index.
bool scan_is_cheaper(const SearchGroup& group) {
  return group.walked ||
         static_cast<double>(group.records) * kWalkedCost < group.share * static_cast<double>(group.owner_records) * kFoundCost;
}

bool walk_is_cheaper(const SearchGroup& group, std::size_t count) {
  if (group.walked) return true;
  const double walked = std::min(static_cast<double>(group.records), static_cast<double>(count) / group.share);
  return walked * kWalkedCost < group.share * static_cast<double>(group.owner_records) * kFoundCost;
}

Result<WordCandidates> in_no_order(SearchState& state, SearchGroup& of, std::int64_t limit) {
  const WordGroup& group = of.words;
  if (of.found) return *std::exchange(of.found, std::nullopt);
  if (!scan_is_cheaper(of)) {
    Batch batch(state.connection);
    const Answer found = ask_find(batch, group, limit);
    LADDER_CHECK(batch.run());
    return read_found(found.rows(), state.scoring(), group);
  }
  WordCandidates all;
  for (const bool timed : {true, false}) {
    std::vector<WordWalk> walks;
    for (const WordStream& stream : group.streams) {
      if (stream.timed == timed) walks.push_back({&stream, {std::numeric_limits<std::int64_t>::min(), {}, 0}});
    }
    if (walks.empty()) continue;
    LADDER_TRY(auto found, walk_words(state.connection, state.scoring(), group, walks, limit));
    std::ranges::move(found, std::back_inserter(all));
  }
  return all;
}

}  // namespace

Result<WordCandidates> find_newest(SearchState& state, std::int64_t most) {
  const std::int64_t limit = found_at_most(most);
  WordCandidates all;
  bool too_many = may_be_more_than(state, limit);
  for (std::size_t i = 0; i < state.groups.size() && !too_many; ++i) {
    SearchGroup& group = state.groups[i];
    LADDER_TRY(auto found, in_no_order(state, group, limit));
    LADDER_CHECK(state.may_go_on());
    too_many = most < kNoLimit && std::ssize(found) >= limit;
    if (std::ssize(found) < limit) keep_count_of_term(state, group, std::ssize(found));
    std::ranges::move(found, std::back_inserter(all));
    std::ranges::copy(group.texts, std::back_inserter(all));
  }
  if (too_many) return find_by_time(state, std::nullopt, std::nullopt, static_cast<std::size_t>(most) + 1);
  LADDER_CHECK(state.keep_accepted(all));
  return all;
}

Result<WordCandidates> find_by_time(SearchState& state, const std::optional<TimePlace>& from,
                                    const std::optional<TimePlace>& last, std::size_t count) {
  TimeOrder order(state.connection, state.scoring(), from);
  for (const SearchGroup& group : state.groups) {
    order.add_candidates(group.texts);
    if (walk_is_cheaper(group, std::min(count, static_cast<std::size_t>(state.most_ranked)))) order.add_walks(group.words);
    else order.add_lookup(group.words);
  }
  const bool checked = std::ranges::any_of(state.search.scopes, &WordScope::checked);
  WordCandidates all;
  while (all.size() < count) {
    // Without a bound to what is asked for, in steps: a cancelled search shall end.
    const std::size_t wanted =
        std::min(count - all.size(), checked ? kCheckedAtOnce : static_cast<std::size_t>(state.most_ranked) + 1);
    LADDER_TRY(auto found, order.next(wanted, last));
    LADDER_CHECK(state.may_go_on());
    const bool end = found.size() < wanted;
    LADDER_CHECK(state.keep_accepted(found));
    std::ranges::move(found, std::back_inserter(all));
    if (end) break;
  }
  return all;
}

bool ask_newest(SearchState& state, Batch& batch) {
  const bool by_time = state.search.horizon || (state.search.after && state.search.after->score == kUnrankedScore);
  const std::int64_t limit = found_at_most(state.most());
  if (by_time || may_be_more_than(state, limit) || std::ranges::any_of(state.groups, scan_is_cheaper)) return false;
  for (SearchGroup& group : state.groups) group.asked.candidates = ask_find(batch, group.words, limit);
  return true;
}

void read_newest(SearchState& state) {
  for (SearchGroup& group : state.groups) {
    group.found = read_found(group.asked.candidates.rows(), state.scoring(), group.words);
  }
}

}  // namespace ladder::store::postgres
