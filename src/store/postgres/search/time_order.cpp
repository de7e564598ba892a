#include "store/postgres/search/time_order.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>
#include <utility>

namespace ladder::store::postgres {
namespace {

constexpr std::int64_t kSmallestBatch = 8;
constexpr std::size_t kSourcesAtOnce = 8;  // of so many that are not at their end, the one that is hindmost is asked for more

const TimePlace kBeginning{.place = std::numeric_limits<std::int64_t>::min(), .key = {}, .scope = 0};

}  // namespace

void TimeOrder::add_walks(const WordGroup& group) {
  for (const WordStream& stream : group.streams) {
    Source source{.group = &group, .stream = &stream, .seen = from_.value_or(kBeginning)};
    // Records whose time does not count come after all others.
    if (!stream.timed && source.seen.place < kNoPlace) source.seen = {kNoPlace, {}, 0};
    sources_.push_back(std::move(source));
  }
}

void TimeOrder::add_lookup(const WordGroup& group) {
  sources_.push_back({.group = &group, .stream = nullptr, .seen = from_.value_or(kBeginning)});
}

void TimeOrder::add_candidates(WordCandidates candidates) { take(std::move(candidates)); }

Result<WordCandidates> TimeOrder::next(std::size_t count, const std::optional<TimePlace>& last) {
  WordCandidates found;
  for (;;) {
    const std::optional<TimePlace> known = known_upto();
    for (; next_ < waiting_.size() && found.size() < count; ++next_) {
      const WordCandidate& candidate = waiting_[next_];
      if ((last && is_after(candidate, *last)) || (known && is_after(candidate, *known))) break;
      found.push_back(std::move(waiting_[next_]));
    }
    if (found.size() == count || !known || (last && *known >= *last)) return found;
    LADDER_CHECK(fetch(count - found.size()));
  }
}

std::optional<TimePlace> TimeOrder::known_upto() const {
  const Source* hindmost = nullptr;
  for (const Source& source : sources_) {
    if (!source.exhausted && (hindmost == nullptr || source.seen < hindmost->seen)) hindmost = &source;
  }
  return hindmost == nullptr ? std::nullopt : std::optional(hindmost->seen);
}

std::vector<TimeOrder::Source*> TimeOrder::choose(std::size_t wanted) {
  std::vector<Source*> open;
  for (Source& source : sources_) {
    if (!source.exhausted) open.push_back(&source);
  }
  const auto most = static_cast<std::int64_t>(wanted) + 1;
  const bool beginning = std::ranges::none_of(open, &Source::begun);
  if (beginning) {
    // One source alone gives it all; of many, some will have nothing among the first ones.
    const std::int64_t share = open.size() == 1 ? most : most / (4 * std::ssize(open)) + kSmallestBatch;
    for (Source* source : open) source->batch = std::min(most, share);
    return open;
  }
  std::ranges::sort(open, [](const Source* a, const Source* b) { return a->seen < b->seen; });
  open.resize((open.size() + kSourcesAtOnce - 1) / kSourcesAtOnce);
  for (Source* source : open) source->batch = std::max(kSmallestBatch, std::min(most, 2 * source->batch));
  return open;
}

Status TimeOrder::fetch(std::size_t wanted) {
  std::map<std::pair<const WordGroup*, bool>, std::vector<Source*>> walks;
  for (Source* source : choose(wanted)) {
    source->begun = true;
    if (source->stream == nullptr) LADDER_CHECK(fetch_lookup(*source));
    else walks[{source->group, source->stream->timed}].push_back(source);
  }
  for (const auto& [group, sources] : walks) LADDER_CHECK(fetch_walks(sources));
  return {};
}

// Candidates that share place and key with the last one seen come again, one per scope at most.
Status TimeOrder::fetch_lookup(Source& source) {
  const std::int64_t limit = source.batch + std::ssize(source.group->streams);
  LADDER_TRY(auto fetched, find_words_in_order(connection_, scoring_, *source.group, source.seen, limit));
  source.exhausted = std::ssize(fetched) < limit;
  std::erase_if(fetched, [&](const WordCandidate& candidate) { return !is_after(candidate, source.seen); });
  if (!fetched.empty()) source.seen = time_place(fetched.back());
  take(std::move(fetched));
  return {};
}

// The last candidate seen comes again.
Status TimeOrder::fetch_walks(std::span<Source* const> sources) {
  struct Walked {
    Source* source = nullptr;
    std::int64_t count = 0;
    TimePlace before;
  };
  std::vector<WordWalk> walks;
  std::unordered_map<std::size_t, Walked> by_scope;
  std::int64_t limit = 0;
  for (Source* source : sources) {
    walks.push_back({source->stream, source->seen});
    by_scope[source->stream->scope] = {source, 0, source->seen};
    limit = std::max(limit, source->batch + 1);
  }
  LADDER_TRY(auto fetched, walk_words(connection_, scoring_, *sources.front()->group, walks, limit));
  std::erase_if(fetched, [&](const WordCandidate& candidate) {
    Walked& walked = by_scope[candidate.scope];
    ++walked.count;
    if (is_after(candidate, walked.source->seen)) walked.source->seen = time_place(candidate);
    return !is_after(candidate, walked.before);
  });
  for (const auto& [scope, walked] : by_scope) walked.source->exhausted = walked.count < limit;
  take(std::move(fetched));
  return {};
}

void TimeOrder::take(WordCandidates fetched) {
  if (from_) std::erase_if(fetched, [&](const WordCandidate& candidate) { return !is_after(candidate, *from_); });
  if (fetched.empty()) return;
  if (!std::ranges::is_sorted(fetched, comes_by_time)) std::ranges::sort(fetched, comes_by_time);
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(std::exchange(next_, 0)));
  const auto middle = std::ssize(waiting_);
  std::ranges::move(fetched, std::back_inserter(waiting_));
  std::ranges::inplace_merge(waiting_, waiting_.begin() + middle, comes_by_time);
}

}  // namespace ladder::store::postgres
