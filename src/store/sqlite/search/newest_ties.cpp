#include "store/sqlite/search/newest_ties.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kFewTies = 128;  // that are looked up without further ado
// A step of the walk costs less than a quarter of a look-up, so that a walk which was given up adds at most half.
constexpr std::size_t kStepsPerTie = 2;
constexpr std::size_t kAboveAllBytes = 34;  // of 0xFF: as in word_ranges.cpp

constexpr const char* kNewestInOrder =
    "SELECT record_no FROM records INDEXED BY records_by_order "
    "WHERE stream_no = ?1 AND order_key >= ?2 AND order_key < ?3 ORDER BY order_key DESC LIMIT ?4";
constexpr const char* kNewestInIndex =
    "SELECT record_no FROM index_entries WHERE index_no = ?1 AND entry >= ?2 AND entry < ?3 ORDER BY entry DESC LIMIT ?4";

Result<std::int64_t> records_of(Connection& connection, StreamNo stream) {
  Statement row = connection.use(Sql::kRecordsOfStream);
  LADDER_TRY(const bool found, row.integer(1, stream).step());
  return found ? row.integer_at(0) : 0;
}

Result<std::optional<Instant>> time_of(Connection& connection, std::int64_t number) {
  Statement row = connection.use(Sql::kConsentTime);
  LADDER_TRY(const bool found, row.integer(1, number).step());
  return found ? row.maybe_integer_at(0) : std::nullopt;
}

// The newest `wanted` of the numbers, ascending, and those as new as the last of them; nothing when the walk takes too long.
Result<std::optional<std::vector<std::int64_t>>> newest(Connection& connection, const WordScope& scope,
                                                        std::span<const std::int64_t> numbers, std::size_t wanted) {
  const WordStretch& order = *scope.stretch;
  const std::string above_all(kAboveAllBytes, '\xFF');
  Statement rows = connection.prepare(order.index == 0 ? kNewestInOrder : kNewestInIndex);
  rows.integer(1, order.index == 0 ? scope.stream : order.index).blob(2, order.from);
  rows.blob(3, order.to.empty() ? above_all : order.to);
  rows.integer(4, static_cast<std::int64_t>(numbers.size() * kStepsPerTie));
  std::vector<std::int64_t> found;
  std::optional<Instant> last;
  for (;;) {
    LADDER_TRY(const bool row, rows.step());
    if (!row) return std::nullopt;
    const std::int64_t number = rows.integer_at(0);
    if (!std::ranges::binary_search(numbers, number)) continue;
    if (found.size() + 1 >= wanted) {
      LADDER_TRY(const std::optional<Instant> time, time_of(connection, number));
      if (!time) return std::nullopt;
      if (last && *time < *last) return found;
      last = time;
    }
    found.push_back(number);
  }
}

}  // namespace

Status drop_older_ties(Connection& connection, std::span<const WordScope> scopes, std::size_t wanted,
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
    if (!scope.stretch || is_restricted(scope) || numbers.size() < kFewTies) continue;
    LADDER_TRY(const std::int64_t records, records_of(connection, scope.stream));
    const std::size_t steps = needed * static_cast<std::size_t>(records) / numbers.size();
    if (steps > numbers.size() * kStepsPerTie) continue;
    std::ranges::sort(numbers);
    LADDER_TRY(const auto kept, newest(connection, scope, numbers, needed));
    if (!kept) continue;
    std::vector<std::int64_t> sorted = *kept;
    std::ranges::sort(sorted);
    std::erase_if(best, [&](const WordCandidate& candidate) {
      return candidate.score == worst && candidate.scope == scope_no && !std::ranges::binary_search(sorted, candidate.number);
    });
  }
  return {};
}

}  // namespace ladder::store::sqlite
