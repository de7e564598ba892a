// Erasing what SQLite forgets to erase. With secure_delete SQLite overwrites deleted cells and freed pages, but when it spreads
// rows over neighbouring pages, the old copies stay in the unused gap of the page they left, and a later delete does not find
// them there (measured: 2 of 100 deleted rows could still be read in the file). The gap has no meaning, so it is zeroed on the
// way into the database file; the log is cut by the sweep.
#pragma once

#include "base/error/error.h"

#include <sqlite3.h>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ladder::store::sqlite {

inline constexpr std::size_t kPageBytes = 4096;

// The first byte of an overflow page, and of a trunk of the free list, is the top byte of a page number. So a page whose first
// byte is `type` is certainly a table's or an index's page only while the database has fewer than type << 24 pages. This is the
// file size below which such a page is scrubbed; the margin covers the pages that are still in the log. 64 GiB for inner pages
// of an index, 256 GiB for inner pages of a table (which hold no data), 576 and 768 GiB for the leaves of indexes and tables.
inline constexpr std::int64_t kLargestLogBytes = std::int64_t{64} << 30;
constexpr std::int64_t scrubbed_file_bytes(unsigned char type) {
  return (std::int64_t{type} << 24) * static_cast<std::int64_t>(kPageBytes) - kLargestLogBytes;
}
// Above this size some pages are not scrubbed any more; doctor says so.
inline constexpr std::int64_t kFullyScrubbedFileBytes = scrubbed_file_bytes(0x02);

// Says whether there is something to zero in the gap between the cell pointers and the cells; never in pages that are neither a
// table's nor an index's. `first_page` has the file's header before the page's own.
bool needs_scrubbing(std::span<const unsigned char, kPageBytes> page, bool first_page);

// Zeroes it. True when there was something.
bool scrub_page(std::span<unsigned char, kPageBytes> page, bool first_page);

// The VFS under SQLite. Ladder puts a thin one of its own over the operating system's: it zeroes the unused bytes of every page
// that goes into the database file (vfs.h says why). Tests may put a further one on top, e.g. to count what is read, or
// one below, to make calls fail.
enum class VfsFile : std::uint8_t { kDatabase, kLog, kOther };

// Hooks that a layer adds to plain passing on. Null members are skipped.
struct VfsHooks {
  void (*did_read)(VfsFile file, int bytes) = nullptr;
  void (*will_flush)(VfsFile file) = nullptr;
  bool scrubs_pages = false;  // of the database file
};

// Registers a VFS called `name` (static text) over `base`, once; again it changes nothing.
Status register_vfs(const char* name, const char* base, const VfsHooks& hooks);

// The layer that connections opened from now on use; registers Ladder's own on first use.
Result<const char*> vfs_name();
void use_vfs(const char* name);  // for tests, static text; null: Ladder's own

// Counts what SQLite reads from the database file and its log, so that tests can prove how much a read touches (design D3).
// Present only in processes that install it; memory-mapped reads do not exist here, so every page read is seen.
struct ReadCounts {
  std::int64_t database_reads = 0;
  std::int64_t database_bytes = 0;
  std::int64_t log_reads = 0;
  std::int64_t log_bytes = 0;

  std::int64_t bytes() const { return database_bytes + log_bytes; }
};

// From here on, stores that this process opens are counted.
Status install_counting_vfs();
ReadCounts read_counts();
void reset_read_counts();

}  // namespace ladder::store::sqlite
