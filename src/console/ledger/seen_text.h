// Splits a text by reader at every range border, and folds long parts. Works only on offsets in characters (code points).
#pragma once

#include "server/ledger/disclosure.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ladder::console {

// A part [start, end) of the text, and its readers.
struct SeenPart {
  std::int64_t start = 0, end = 0;
  std::vector<std::size_t> by;  // indexes into the given ranges, ascending; empty if unread
  bool folded = false;
  bool mixed = false;  // several parts folded into one; `by` is empty

  std::int64_t length() const { return end - start; }
  friend bool operator==(const SeenPart&, const SeenPart&) = default;
};

// Splits a text of `size` characters into parts with the same readers. Ranges are clipped to the text.
std::vector<SeenPart> split_by_reader(std::int64_t size, std::span<const server::ShownRanges> ranges);

// Limits of what is shown at once.
struct FoldBounds {
  std::int64_t max_unfolded = 700;  // longer parts are folded in the middle
  std::int64_t head = 320;          // characters shown at the start of a folded part
  std::int64_t tail = 160;          // characters shown at its end
  std::int64_t max_shown = 8'000;   // total characters shown; the rest is folded
};

// Folds long parts. `opened` stays visible up to the limit. If the text exceeds the limit, the text well before `opened` is
// folded to make room.
std::vector<SeenPart> fold_parts(std::vector<SeenPart> parts, const FoldBounds& bounds, std::optional<server::ShownRange> opened);

}  // namespace ladder::console
