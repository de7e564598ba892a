#include "store/postgres/read_ahead.h"

#include <algorithm>
#include <functional>

namespace ladder::store::postgres {
namespace {

// What comes after `now`, given what came before it; nothing when the two are not neighbours. Windows do not end where chunks do,
// so a step holds one chunk more than the window had.
std::optional<ChunkRange> next_after(const ChunkRange& before, const ChunkRange& now) {
  if (before.text_id != now.text_id || now.first > before.last + 1 || now.last < before.first - 1) return std::nullopt;
  if (now == before) return now;
  const std::int64_t width = now.last - now.first + 1;
  if (now.first >= before.first) return ChunkRange{now.text_id, now.last, now.last + width};
  return ChunkRange{now.text_id, std::max<std::int64_t>(0, now.first - width), now.first};
}

}  // namespace

std::uint64_t ReadAhead::trail_of(std::span<const StreamNo> streams, std::string_view key) {
  std::uint64_t name = std::hash<std::string_view>{}(key);
  for (const StreamNo stream : streams) name = name * 0x9E37'79B9'7F4A'7C15 + static_cast<std::uint64_t>(stream);
  return name;
}

std::optional<ChunkRange> ReadAhead::guess(std::uint64_t trail) const {
  const std::lock_guard lock(mutex_);
  const Trail& place = trails_[trail % kTrails];
  return place.name == trail ? place.next : std::nullopt;
}

void ReadAhead::note(std::uint64_t trail, const ChunkRange& asked) {
  const std::lock_guard lock(mutex_);
  Trail& place = trails_[trail % kTrails];
  place.next = place.name == trail ? next_after(place.asked, asked) : std::nullopt;
  if (place.next && place.next->last - place.next->first >= kMostChunks) place.next.reset();
  place.name = trail;
  place.asked = asked;
}

}  // namespace ladder::store::postgres
