#include "http/fair_queue.h"

#include <algorithm>

namespace ladder::http {
namespace {

constexpr std::size_t kMaxLanes = 4096;  // remembered clients; idle ones are forgotten first
constexpr double kNewest = 1.0 / 8;      // the weight of the newest call in a client's average cost
constexpr double kOutlier = 1.0 / 4;     // one long call counts immediately, at this share of it

std::size_t at_least_one(std::size_t count) { return std::max<std::size_t>(count, 1); }

}  // namespace

FairQueue::FairQueue(std::size_t workers, std::size_t cores, std::size_t most_waiting)
    : most_long_(at_least_one(workers - workers / 4)),
      most_writes_(at_least_one(workers / 2)),
      cores_(at_least_one(cores)),
      most_waiting_(most_waiting) {}

FairQueue::Lane& FairQueue::lane_of(const Party& party, Time now) {
  auto [found, is_new] = lanes_.try_emplace({party.owner, party.client});
  Lane& lane = found->second;
  if (is_new) {
    lane.owner = &owners_[party.owner];
    ++lane.owner->lanes;
    if (lanes_.size() > kMaxLanes) forget_old(now);
  }
  lane.seen = now;
  if (newest_.lane != &lane) before_newest_ = newest_;
  newest_ = {&lane, now};
  return lane;
}

Admission FairQueue::push(const Party& party, Task task, Time now) {
  if (waiting_ >= most_waiting_) return {Entry::kFull};
  Lane& lane = lane_of(party, now);
  if (has_too_much(lane, party.weight, now)) {
    const auto seconds = std::chrono::ceil<std::chrono::seconds>(time_for(lane, lane.waiting(), now));
    return {Entry::kTooMany, std::clamp<std::chrono::seconds>(seconds, std::chrono::seconds(1), kLongestRetry)};
  }
  add(lane, party.weight, std::move(task));
  return {};
}

FairQueue::Cost FairQueue::time_for(const Lane& lane, std::size_t calls, Time now) const {
  return lane.cost.value_or(Cost(0)) * static_cast<double>(calls) / static_cast<double>(most_under_way(lane, now));
}

bool FairQueue::has_too_much(const Lane& lane, Weight weight, Time now) const {
  if (lane.waiting() >= std::max(kMaxCostlyWaiting, most_waiting_ / 2)) return true;
  if (weight != Weight::kCostly || !lane.cost || is_cheap(lane, now)) return false;
  const Line& costly = lane.line(Weight::kCostly);
  const bool busy = costly.under_way.size() >= most_under_way(lane, now);
  return costly.waiting() >= kMaxCostlyWaiting || (busy && time_for(lane, costly.waiting() + 1, now) > kLongestWait);
}

void FairQueue::push_always(const Party& party, Task task, Time now) { add(lane_of(party, now), party.weight, std::move(task)); }

void FairQueue::add(Lane& lane, Weight weight, Task task) {
  if (lane.waiting() == 0) with_work_.push_back(&lane);
  lane.line(weight).tasks.push_back(std::move(task));
  ++waiting_;
}

std::size_t FairQueue::Lane::waiting() const {
  std::size_t all = 0;
  for (const Line& line : lines) all += line.waiting();
  return all;
}

bool FairQueue::Lane::is_idle() const {
  return std::ranges::all_of(lines, [](const Line& line) { return line.waiting() == 0 && line.under_way.empty(); });
}

std::optional<Weight> FairQueue::ready(const Lane& lane, Time now) const {
  if (lane.line(Weight::kLight).waiting() > 0) return Weight::kLight;
  if (long_under_way_ >= most_long_) return std::nullopt;
  const Line& writes = lane.line(Weight::kWrite);
  if (writes.waiting() > 0 && writes.under_way.size() < most_writes_) return Weight::kWrite;
  const Line& costly = lane.line(Weight::kCostly);
  if (costly.waiting() > 0 && costly.under_way.size() < most_under_way(lane, now)) return Weight::kCostly;
  return std::nullopt;
}

// Selects the owner that has waited longest for a turn, and its client that has waited longest.
FairQueue::Turn FairQueue::next(Time now) const {
  Turn best;
  for (Lane* const lane : with_work_) {
    const auto weight = ready(*lane, now);
    if (!weight) continue;
    const auto turn_of = [](const Lane& of) { return std::pair(of.owner->served, of.served); };
    if (best.lane == nullptr || turn_of(*lane) < turn_of(*best.lane)) best = {lane, *weight};
  }
  return best;
}

bool FairQueue::is_cheap(const Lane& lane, Time now) const {
  if (!lane.cost || *lane.cost >= kCheap) return false;
  return std::ranges::none_of(lane.line(Weight::kCostly).under_way, [&](Time began) { return now - began >= 2 * kCheap; });
}

std::size_t FairQueue::most_under_way(const Lane& lane, Time now) const {
  if (is_cheap(lane, now)) return most_long_;
  const Seen& other = newest_.lane == &lane ? before_newest_ : newest_;
  const bool in_company = other.lane != nullptr && other.lane != &lane && now - other.at <= kWritersLast;
  return at_least_one(in_company ? cores_ / 2 : cores_ - 1);
}

FairQueue::Task FairQueue::Line::take() {
  Task task = std::move(tasks[at++]);
  if (at == tasks.size()) {
    tasks.clear();
    at = 0;
  } else if (at >= 64 && 2 * at >= tasks.size()) {
    tasks.erase(tasks.begin(), tasks.begin() + static_cast<std::ptrdiff_t>(at));
    at = 0;
  }
  return task;
}

std::optional<FairQueue::Job> FairQueue::pop(Time now) {
  const auto [lane, weight] = next(now);
  if (lane == nullptr) return std::nullopt;
  Line& line = lane->line(weight);
  Job job{line.take(), lane, weight, now};
  --waiting_;
  lane->served = lane->owner->served = ++turns_;
  line.under_way.push_back(now);
  if (weight != Weight::kLight) ++long_under_way_;
  if (lane->waiting() == 0) std::erase(with_work_, lane);
  return job;
}

void FairQueue::finish(const Job& job, Cost cost) {
  Lane& lane = *static_cast<Lane*>(job.lane);
  auto& under_way = lane.line(job.weight).under_way;
  under_way.erase(std::ranges::find(under_way, job.began));
  if (job.weight != Weight::kLight) --long_under_way_;
  if (job.weight != Weight::kCostly) return;
  if (!lane.cost) lane.cost = cost;
  else lane.cost = std::max(*lane.cost + (cost - *lane.cost) * kNewest, cost * kOutlier);
}

void FairQueue::forget_old(Time now) {
  std::erase_if(lanes_, [&](const auto& entry) {
    const Lane& lane = entry.second;
    if (!lane.is_idle() || lane.seen == now || lane.seen == Time{}) return false;  // the newest lane is still being created
    if (newest_.lane == &lane) newest_ = {};
    if (before_newest_.lane == &lane) before_newest_ = {};
    --lane.owner->lanes;
    return true;
  });
  std::erase_if(owners_, [](const auto& entry) { return entry.second.lanes == 0; });
}

FairQueue::Backlog FairQueue::backlog() const {
  std::map<const Owner*, std::size_t> waiting;
  for (const Lane* const lane : with_work_) waiting[lane->owner] += lane->waiting();
  Backlog backlog{waiting.size(), 0};
  for (const auto& [owner, count] : waiting) backlog.longest = std::max(backlog.longest, count);
  return backlog;
}

std::vector<FairQueue::Task> FairQueue::clear() {
  std::vector<Task> dropped;
  for (auto& [key, lane] : lanes_) {
    for (Line& line : lane.lines) {
      while (line.waiting() > 0) dropped.push_back(line.take());
    }
  }
  with_work_.clear();
  waiting_ = 0;
  return dropped;
}

}  // namespace ladder::http
