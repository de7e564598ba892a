// Whoever reads a long value window by window asks for the same record again and again, and then for the chunks beside those it
// had last (or for the same, after a hiccup). So once two reads in a row have shown that, the chunks that are likely next travel
// in the same round trip as the record, and the window costs one round trip instead of two. A wrong guess costs a few chunks
// read for nothing and ends the guessing; reads at random places are never guessed. Safe to use from any thread.
#pragma once

#include "store/rows.h"

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string_view>

namespace ladder::store::postgres {

struct ChunkRange {
  ValueId text_id = 0;
  std::int64_t first = 0, last = 0;  // inclusive

  bool holds(const ChunkRange& other) const { return text_id == other.text_id && first <= other.first && other.last <= last; }
  friend bool operator==(const ChunkRange&, const ChunkRange&) = default;
};

class ReadAhead {
 public:
  // A name for "the record under this key in these streams". Two records may share one; the guess is then wrong, no more.
  static std::uint64_t trail_of(std::span<const StreamNo> streams, std::string_view key);

  std::optional<ChunkRange> guess(std::uint64_t trail) const;
  void note(std::uint64_t trail, const ChunkRange& asked);

 private:
  static constexpr std::size_t kTrails = 1024;     // of one process; a newer one takes the place of an older
  static constexpr std::int64_t kMostChunks = 12;  // a guess is never larger; a window has 5 chunks, or 19 of the widest text

  struct Trail {
    std::uint64_t name = 0;
    ChunkRange asked;
    std::optional<ChunkRange> next;
  };

  mutable std::mutex mutex_;
  std::array<Trail, kTrails> trails_;
};

}  // namespace ladder::store::postgres
