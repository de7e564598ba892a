#include "store/postgres/search/search_state.h"

#include <algorithm>
#include <span>
#include <unordered_map>
#include <utility>

namespace ladder::store::postgres {

std::unexpected<Error> took_too_long() {
  return fail(Code::kDeadline, "the search took longer than it may: ask for rarer words or fewer streams");
}

Status SearchState::may_go_on() const {
  if (search.stop.stop_requested()) return fail(Code::kCancelled, "the search was cancelled");
  if (search.deadline.passed()) return took_too_long();
  return {};
}

const StreamFacts* SearchState::facts_of(StreamNo stream) const {
  const auto at = std::ranges::lower_bound(facts, stream, {}, &StreamFacts::no);
  return at == facts.end() || at->no != stream ? nullptr : &*at;
}

bool SearchState::is_checked(const SearchGroup& group) const {
  return std::ranges::any_of(group.words.streams, [&](const WordStream& stream) { return search.scopes[stream.scope].checked; });
}

bool SearchState::is_time_range(const SearchGroup& group) const {
  return std::ranges::all_of(group.words.streams, [&](const WordStream& stream) {
    return search.scopes[stream.scope].since || search.scopes[stream.scope].until;
  });
}

Status SearchState::keep_accepted(WordCandidates& candidates) {
  if (std::ranges::none_of(search.scopes, &WordScope::checked)) return {};
  WordCandidates kept;
  for (std::size_t begin = 0; begin < candidates.size(); begin += kCheckedAtOnce) {
    LADDER_CHECK(may_go_on());
    const std::span some = std::span(candidates).subspan(begin, std::min(kCheckedAtOnce, candidates.size() - begin));
    Int8Array numbers;
    for (const WordCandidate& candidate : some) numbers.add(candidate.record);
    LADDER_TRY(const Rows found, connection.run_last(kRecordsByNumber, numbers));
    std::unordered_map<RecordNo, RecordRow> rows;
    for (RecordRow& record : read_page(found)) rows.emplace(record.no, std::move(record));
    for (WordCandidate& candidate : some) {
      bool accepted = true;
      if (search.scopes[candidate.scope].checked) {
        const auto row = rows.find(candidate.record);
        if (row == rows.end()) continue;
        if (row->second.damaged) return std::unexpected(damaged_record(candidate.record));
        LADDER_TRY(accepted, search.accept(candidate.scope, row->second));
      }
      if (accepted) kept.push_back(std::move(candidate));
    }
  }
  candidates = std::move(kept);
  return {};
}

}  // namespace ladder::store::postgres
