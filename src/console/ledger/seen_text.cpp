#include "console/ledger/seen_text.h"

#include <algorithm>
#include <map>

namespace ladder::console {

using server::ShownRange;
using server::ShownRanges;

std::vector<SeenPart> split_by_reader(std::int64_t size, std::span<const ShownRanges> ranges) {
  // For each offset, the readers whose ranges start or end there.
  std::map<std::int64_t, std::vector<std::pair<std::size_t, bool>>> turns;
  turns[0];
  for (std::size_t who = 0; who < ranges.size(); ++who) {
    for (const ShownRange& range : ranges[who]) {
      const std::int64_t start = std::clamp<std::int64_t>(range.start, 0, size),
                         end = std::clamp<std::int64_t>(range.end, 0, size);
      if (start >= end) continue;
      turns[start].emplace_back(who, true);
      turns[end].emplace_back(who, false);
    }
  }
  std::vector<SeenPart> parts;
  std::vector<std::size_t> by;
  for (auto turn = turns.begin(); turn != turns.end() && turn->first < size; ++turn) {
    for (const auto& [who, begins] : turn->second) {
      if (!begins) std::erase(by, who);
    }
    for (const auto& [who, begins] : turn->second) {
      if (begins) by.insert(std::ranges::lower_bound(by, who), who);
    }
    const auto next = std::next(turn);
    const std::int64_t end = next == turns.end() ? size : std::min(next->first, size);
    if (!parts.empty() && parts.back().by == by) parts.back().end = end;
    else parts.push_back({turn->first, end, by, false});
  }
  return parts;
}

std::vector<SeenPart> fold_parts(std::vector<SeenPart> parts, const FoldBounds& bounds, std::optional<ShownRange> opened) {
  std::vector<SeenPart> shown;
  std::int64_t left = bounds.max_shown;
  const bool is_long = !parts.empty() && parts.back().end > bounds.max_shown;
  const std::int64_t begins = opened && is_long ? opened->start - bounds.head : 0;
  const auto add = [&](const SeenPart& of, std::int64_t start, std::int64_t end, bool fold) {
    if (start >= end) return;
    const bool before = end <= begins;
    const bool crowded = before || left <= 0;
    if (!fold && !crowded && end - start > left) {
      shown.push_back({start, start + left, of.by});
      start += left;
      left = 0;
    } else if (!fold && !crowded) {
      left -= end - start;
      shown.push_back({start, end, of.by});
      return;
    }
    SeenPart* const last = shown.empty() || !shown.back().folded ? nullptr : &shown.back();
    const bool same = last != nullptr && !last->mixed && last->by == of.by;
    if (!same && !(last != nullptr && crowded)) {
      shown.push_back({start, end, of.by, true});
      return;
    }
    last->end = end;
    if (same) return;
    last->mixed = true;
    last->by.clear();
  };
  for (const SeenPart& part : parts) {
    if (part.length() <= bounds.max_unfolded) {
      add(part, part.start, part.end, false);
      continue;
    }
    const std::int64_t head = part.start + bounds.head, tail = part.end - bounds.tail;
    const std::int64_t from = opened ? std::clamp(opened->start, head, tail) : tail;
    const std::int64_t to = opened ? std::clamp(opened->end, head, tail) : tail;
    add(part, part.start, head, false);
    add(part, head, from, true);
    add(part, from, to, false);
    add(part, to, tail, true);
    add(part, tail, part.end, false);
  }
  return shown;
}

}  // namespace ladder::console
