// Erases bytes that SQLite leaves behind. With secure_delete, SQLite overwrites deleted cells and freed pages. But when
// it moves rows to neighboring pages, the old copies remain in the unused gap of the old page, where a later delete
// does not find them (measured: 2 of 100 deleted rows were still readable in the file). The gap has no meaning, so this
// VFS zeroes it when a page is written to the database file. The sweep truncates the log.
#pragma once

#include "base/error/error.h"

#include <sqlite3.h>
#include <cstddef>
#include <cstdint>
#include <span>

namespace ladder::store::sqlite {

inline constexpr std::size_t kPageBytes = 4096;

// The first byte of an overflow page, and of a trunk page of the free list, is the top byte of a page number. So a page
// whose first byte is `type` is known to be a table or index page only while the database has fewer than type << 24
// pages. This is the file size below which such a page is scrubbed; the margin covers pages that are still in the log.
// The limit is 64 GiB for inner index pages, 256 GiB for inner table pages (which hold no data), and 576 and 768 GiB
// for index and table leaves.
inline constexpr std::int64_t kLargestLogBytes = std::int64_t{64} << 30;
constexpr std::int64_t scrubbed_file_bytes(unsigned char type) {
  return (std::int64_t{type} << 24) * static_cast<std::int64_t>(kPageBytes) - kLargestLogBytes;
}
// Above this size some pages are not scrubbed any more; doctor reports it.
inline constexpr std::int64_t kFullyScrubbedFileBytes = scrubbed_file_bytes(0x02);

// Returns whether the gap between the cell pointers and the cells has nonzero bytes. Always false for pages that are
// neither table nor index pages. On the first page the file header precedes the page header.
bool needs_scrubbing(std::span<const unsigned char, kPageBytes> page, bool first_page);

// Zeroes the gap. Returns true if anything changed.
bool scrub_page(std::span<unsigned char, kPageBytes> page, bool first_page);

// The VFS under SQLite. Ladder installs its own over the operating system's: it zeroes the unused bytes of every page
// that is written to the database file (see above). Tests may add another on top, for example to count reads, or one
// below that makes calls fail.
enum class VfsFile : std::uint8_t { kDatabase, kLog, kOther };

// Hooks of a layer. Null members are skipped.
struct VfsHooks {
  void (*did_read)(VfsFile file, int bytes) = nullptr;
  void (*will_flush)(VfsFile file) = nullptr;
  bool scrubs_pages = false;  // pages of the database file
};

// Registers a VFS called `name` (static text) over `base`. Registering it again has no effect.
Status register_vfs(const char* name, const char* base, const VfsHooks& hooks);

// The layer for connections opened from now on. Registers Ladder's own on first use.
Result<const char*> vfs_name();
void use_vfs(const char* name);  // for tests; static text, null for Ladder's own

// Counts what SQLite reads from the database file and its log, so that tests can bound how much a read touches (design
// D3). It is active only in processes that install it. There are no memory-mapped reads, so it sees every page read.
struct ReadCounts {
  std::int64_t database_reads = 0;
  std::int64_t database_bytes = 0;
  std::int64_t log_reads = 0;
  std::int64_t log_bytes = 0;

  std::int64_t bytes() const { return database_bytes + log_bytes; }
};

// Counts reads of stores that this process opens from now on.
Status install_counting_vfs();
ReadCounts read_counts();
void reset_read_counts();

}  // namespace ladder::store::sqlite
