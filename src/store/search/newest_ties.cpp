#include "store/search/newest_ties.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace ladder::store {
namespace {

constexpr std::size_t kFewTies = 128;  // looked up directly
// A step of the walk costs less than a quarter of a lookup, so an abandoned walk adds at most half.
constexpr std::size_t kStepsPerTie = 2;

// Returns the newest `wanted` of the numbers and those as new as the last of them, in order; nullopt if the walk takes
// too long.
Result<std::optional<std::vector<std::int64_t>>> newest(SearchRows& rows, const WordScope& scope,
                                                        std::span<const std::int64_t> numbers, std::size_t wanted) {
  std::vector<std::int64_t> found;
  std::optional<Instant> last;
  bool complete = false;
  const auto use = [&](RecordNo number) -> Result<bool> {
    if (!std::ranges::binary_search(numbers, number)) return true;
    if (found.size() + 1 >= wanted) {
      LADDER_TRY(const auto times, rows.times(std::span(&number, 1)));
      if (!times.front()) return false;
      complete = last && *times.front() < *last;
      if (complete) return false;
      last = times.front();
    }
    found.push_back(number);
    return true;
  };
  LADDER_CHECK(rows.each_newest(scope, static_cast<std::int64_t>(numbers.size() * kStepsPerTie), use));
  if (!complete) return std::nullopt;
  return found;
}

}  // namespace

Status drop_older_ties(SearchRows& rows, std::span<const WordScope> scopes, std::size_t wanted,
                       std::vector<WordCandidate>& best) {
  if (best.size() <= wanted + kFewTies) return {};
  const std::int32_t worst = std::ranges::min(best, {}, &WordCandidate::score).score;
  std::map<std::uint32_t, std::vector<std::int64_t>> ties;  // by scope
  std::size_t better = 0;
  for (const WordCandidate& candidate : best) {
    if (candidate.score == worst) ties[candidate.scope].push_back(candidate.number);
    else ++better;
  }
  const std::size_t needed = wanted - std::min(wanted - 1, better);
  for (auto& [scope_no, numbers] : ties) {
    const WordScope& scope = scopes[scope_no];
    if (!scope.interval || scope.is_restricted() || numbers.size() < kFewTies) continue;
    LADDER_TRY(const std::int64_t records, rows.records_of(std::span(&scope.stream, 1)));
    const std::size_t steps = needed * static_cast<std::size_t>(records) / numbers.size();
    if (steps > numbers.size() * kStepsPerTie) continue;
    std::ranges::sort(numbers);
    LADDER_TRY(const auto kept, newest(rows, scope, numbers, needed));
    if (!kept) continue;
    std::vector<std::int64_t> sorted = *kept;
    std::ranges::sort(sorted);
    std::erase_if(best, [&](const WordCandidate& candidate) {
      return candidate.score == worst && candidate.scope == scope_no && !std::ranges::binary_search(sorted, candidate.number);
    });
  }
  return {};
}

}  // namespace ladder::store
