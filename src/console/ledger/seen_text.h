// A text by who saw which part of it: cut at every end of a range, with long even parts folded away. Works on places alone, in
// chars (code points), and reads nothing.
#pragma once

#include "server/ledger/disclosure.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace ladder::console {

// [start, end) of the text, and who saw it.
struct SeenPart {
  std::int64_t start = 0, end = 0;
  std::vector<std::size_t> by;  // indexes of those whose ranges were given, ascending; empty: nobody
  bool folded = false;
  bool mixed = false;  // several parts folded into one: some saw some of it, and `by` is empty

  std::int64_t length() const { return end - start; }
  friend bool operator==(const SeenPart&, const SeenPart&) = default;
};

// The whole of a text of `size` chars in parts that were seen by the same. Ranges beyond its end are cut there.
std::vector<SeenPart> parts_of(std::int64_t size, std::span<const server::ShownRanges> ranges);

// How much is shown at once.
struct FoldBounds {
  std::int64_t even = 700;    // a longer part is folded in its middle,
  std::int64_t head = 320;    // and so much of its beginning
  std::int64_t tail = 160;    // and its end stays
  std::int64_t most = 8'000;  // chars in all; what is behind them is folded whole
};

// Folds long parts. What lies in `opened` is shown, up to the bound; of a text that is longer than the bound, what lies well
// before it is folded, so that there is room for it.
std::vector<SeenPart> folded(std::vector<SeenPart> parts, const FoldBounds& bounds, std::optional<server::ShownRange> opened);

}  // namespace ladder::console
