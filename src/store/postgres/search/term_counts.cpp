#include "store/postgres/search/term_counts.h"

#include "store/text/word_rank.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store::postgres {
namespace {

constexpr std::string_view kOfRows = "rows", kOfTexts = "texts";

// Under this a count holds until somebody writes to one of the streams. The query names the owner, columns and forms.
std::string count_key(const SearchGroup& group, std::string_view kind, std::size_t term) {
  std::string key(kind);
  for (const WordStream& stream : group.words.streams) {
    put_big_endian(key, stream.low);
    put_big_endian(key, stream.high);
  }
  return key + "\n" + group.state + "\n" + *group.words.terms[term];
}

struct Asked {
  std::size_t term;
  std::string key;
  Answer count;
};

// The counts of each term in records of one row, as far as every record of the group counts.
Result<std::vector<std::int64_t>> count_rows(SearchState& state, const SearchGroup& group) {
  std::vector<std::int64_t> counts(state.counts.size(), 0);
  std::vector<Asked> unknown;
  Batch batch(state.connection);
  for (std::size_t term = 0; term < counts.size(); ++term) {
    if (!group.words.terms[term]) continue;
    std::string key = count_key(group, kOfRows, term);
    if (const auto known = state.known.count(key)) counts[term] = *known;
    else unknown.push_back({term, std::move(key), ask_count(batch, group.words, *group.words.terms[term], kCountedRecords)});
  }
  LADDER_CHECK(batch.run());
  for (Asked& one : unknown) {
    counts[one.term] = one.count.rows().int8(0, 0);
    state.known.keep_count(std::move(one.key), counts[one.term]);
  }
  return counts;
}

// The same where each record has to be accepted: adds them to the counts of the search.
Status count_accepted(SearchState& state, const SearchGroup& group) {
  for (std::size_t term = 0; term < state.counts.size(); ++term) {
    if (!group.words.terms[term]) continue;
    LADDER_TRY(auto found, find_records(state.connection, group.words, *group.words.terms[term]));
    LADDER_CHECK(state.keep_accepted(found));
    state.counts[term] += std::ssize(found);
  }
  return {};
}

// Adds the records of several rows that have each term.
Status count_texts(SearchState& state, const SearchGroup& group) {
  for (std::size_t term = 0; term < state.counts.size(); ++term) {
    if (!group.words.terms[term] || state.counts[term] >= kCountedRecords) continue;
    std::string key = count_key(group, kOfTexts, term);
    const auto known = state.is_checked(group) ? std::nullopt : state.known.count(key);
    if (known) {
      state.counts[term] += *known;
      continue;
    }
    LADDER_TRY(auto found, state.texts.find_records(group.words, *group.words.terms[term]));
    LADDER_CHECK(state.keep_accepted(found));
    state.counts[term] += std::ssize(found);
    if (!state.is_checked(group)) state.known.keep_count(std::move(key), std::ssize(found));
  }
  return {};
}

// Granted records that have each term, up to kCountedRecords.
Status count_terms(SearchState& state) {
  for (SearchGroup& group : state.groups) {
    if (state.is_checked(group)) {
      LADDER_CHECK(count_accepted(state, group));
      continue;
    }
    LADDER_TRY(group.counts, count_rows(state, group));
    for (std::size_t term = 0; term < state.counts.size(); ++term) state.counts[term] += group.counts[term];
  }
  LADDER_CHECK(state.may_go_on());
  for (const SearchGroup& group : state.groups) {
    if (group.texts_there) LADDER_CHECK(count_texts(state, group));
  }
  for (std::int64_t& count : state.counts) count = std::min(count, kCountedRecords);
  return {};
}

// The counts of every term in the group's records, if all of them are known.
bool recall_counts(SearchState& state, SearchGroup& group) {
  group.counts.clear();
  if (state.is_checked(group) || group.texts_there) return false;
  std::vector<std::int64_t> counts(group.words.terms.size(), 0);
  for (std::size_t term = 0; term < counts.size(); ++term) {
    if (!group.words.terms[term]) continue;
    const auto known = state.known.count(count_key(group, kOfRows, term));
    if (!known) return false;
    counts[term] = *known;
  }
  group.counts = std::move(counts);
  return true;
}

void weigh_by_counts(SearchState& state, std::int64_t records) {
  state.weights = weigh_terms(*state.search.query, records, state.counts);
  state.weights.measured_above = kNothingMeasured;
  state.measures = state.search.reading && state.search.query->terms.size() > 1 && state.search.order == WordOrder::kScore;
}

}  // namespace

Status weigh(SearchState& state, std::int64_t records) {
  state.counts.assign(state.search.query->terms.size(), 0);
  if (state.search.weights || state.counts.size() == 1) {
    (void)weigh_by_known(state, records);
    return {};
  }
  LADDER_CHECK(count_terms(state));
  weigh_by_counts(state, records);
  return {};
}

bool weigh_by_known(SearchState& state, std::int64_t records) {
  if (state.search.weights) {
    state.counts.clear();
    state.weights = *state.search.weights;
    return true;
  }
  bool all = true;
  for (SearchGroup& group : state.groups) all = recall_counts(state, group) && all;
  state.counts.assign(state.search.query->terms.size(), 0);
  if (state.counts.size() == 1) {  // it needs no weight: its count tells nothing but how to look for it
    weigh_by_counts(state, records);
    return true;
  }
  if (!all) return false;
  for (const SearchGroup& group : state.groups) {
    for (std::size_t term = 0; term < state.counts.size(); ++term) state.counts[term] += group.counts[term];
  }
  for (std::int64_t& count : state.counts) count = std::min(count, kCountedRecords);
  weigh_by_counts(state, records);
  return true;
}

void keep_count_of_term(SearchState& state, const SearchGroup& group, std::int64_t found) {
  const bool alone = group.words.terms.size() == 1 && group.words.excluded.empty() && group.words.terms.front();
  if (!alone || state.is_checked(group)) return;
  std::string key = count_key(group, kOfRows, 0);
  if (!state.known.count(key)) state.known.keep_count(std::move(key), std::min(found, kCountedRecords));
}

std::optional<double> known_share(const SearchState& state, const SearchGroup& group) {
  if (group.counts.empty() || group.records == 0) return std::nullopt;
  const auto& terms = state.search.query->terms;
  const bool must = std::ranges::any_of(terms, &WordTerm::must);
  std::int64_t expected = must ? kCountedRecords : 0;
  for (std::size_t term = 0; term < terms.size(); ++term) {
    if (must && terms[term].must) expected = std::min(expected, group.counts[term]);
    if (must || (state.weights.finders >> term & 1) == 0) continue;
    if (group.counts[term] >= kCountedRecords) return std::nullopt;
    expected += group.counts[term];
  }
  if (must && expected >= kCountedRecords) return std::nullopt;
  return std::max(static_cast<double>(expected), 1.0) / static_cast<double>(group.records);
}

}  // namespace ladder::store::postgres
