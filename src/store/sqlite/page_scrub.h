// Erasing what SQLite forgets to erase. With secure_delete SQLite overwrites deleted cells and freed pages, but when it spreads
// rows over neighbouring pages, the old copies stay in the unused gap of the page they left, and a later delete does not find
// them there (measured: 2 of 100 deleted rows could still be read in the file). The gap has no meaning, so it is zeroed on the
// way into the database file; the log is cut by the sweep.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ladder::store::sqlite {

inline constexpr std::size_t kPageBytes = 4096;
// In a database of 2^25 pages and more (128 GiB) the first byte of an overflow page can look like the type of a table page, so
// scrubbing ends well before.
inline constexpr std::int64_t kScrubbedFileBytes = std::int64_t{64} << 30;

// Whether there is something to zero in the gap between the cell pointers and the cells; never in pages that are neither a
// table's nor an index's. `first_page` has the file's header before the page's own.
bool needs_scrubbing(std::span<const unsigned char, kPageBytes> page, bool first_page);

// Zeroes it. True when there was something.
bool scrub_page(std::span<unsigned char, kPageBytes> page, bool first_page);

}  // namespace ladder::store::sqlite
