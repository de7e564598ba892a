// The page header in SQLite's file format: type 1 | first free block 2 | cells 2 | start of cell content 2 | fragments
// 1, and on inner pages the rightmost child 4. Then follow one 2-byte pointer for each cell, the gap, and the cells.
#include "store/sqlite/engine/vfs.h"

#include "base/mutex.h"
#include "store/sqlite/engine/connection.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <vector>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kFileHeaderBytes = 100;

std::size_t header_bytes(unsigned char type) {
  switch (type) {
    case 0x02:
    case 0x05:
      return 12;  // inner pages of an index, of a table
    case 0x0a:
    case 0x0d:
      return 8;  // leaves
    default:
      return 0;
  }
}

// Empty for pages of any other type.
template <class Byte>
std::span<Byte> gap_of(std::span<Byte, kPageBytes> page, bool first_page) {
  const std::size_t start = first_page ? kFileHeaderBytes : 0;
  const std::size_t header = header_bytes(page[start]);
  if (header == 0) return {};
  const auto u16 = [&](std::size_t at) { return static_cast<std::size_t>(page[start + at]) << 8 | page[start + at + 1]; };
  const std::size_t gap = start + header + 2 * u16(3);
  const std::size_t content = u16(5);
  if (gap >= content || content > kPageBytes) return {};
  return page.subspan(gap, content - gap);
}

bool is_zero(std::span<const unsigned char> bytes) {
  static constexpr std::array<unsigned char, kPageBytes> kZeros{};
  return bytes.empty() || std::memcmp(bytes.data(), kZeros.data(), bytes.size()) == 0;
}

}  // namespace

bool needs_scrubbing(std::span<const unsigned char, kPageBytes> page, bool first_page) {
  return !is_zero(gap_of(page, first_page));
}

bool scrub_page(std::span<unsigned char, kPageBytes> page, bool first_page) {
  const auto gap = gap_of(page, first_page);
  if (is_zero(gap)) return false;
  std::ranges::fill(gap, static_cast<unsigned char>(0));
  return true;
}

// A VFS that forwards every call to the one below and calls hooks. SQLite allocates szOsFile bytes per file: our Shim
// first, followed by the file of the layer below.
//
// The layer buffers no bytes between two calls. SQLite controls the order of its writes: a buffer here would have to be
// written before another process reads and dropped on rollback, and only SQLite knows when either happens. (A buffer of
// log frames that survived a ROLLBACK once overwrote another process's commit.) So each call reaches the layer below
// before it returns, with the same bytes except for the zeroed gap of a database page. The state of a file, its layer
// and its kind, is set on open and never changes, so it needs no lock. Nothing here allocates memory after
// registration, because a std::bad_alloc could not unwind through C frames.

namespace {

struct Layer {
  sqlite3_vfs vfs{};
  sqlite3_vfs* below = nullptr;
  VfsHooks hooks;
};

struct Shim {
  sqlite3_file base{};
  const Layer* layer = nullptr;
  VfsFile file = VfsFile::kOther;
};
constexpr std::size_t kShimBytes =
    (sizeof(Shim) + alignof(std::max_align_t) - 1) / alignof(std::max_align_t) * alignof(std::max_align_t);

Shim* shim(sqlite3_file* file) { return reinterpret_cast<Shim*>(file); }
sqlite3_file* below(sqlite3_file* file) { return reinterpret_cast<sqlite3_file*>(reinterpret_cast<char*>(file) + kShimBytes); }
const Layer* layer(sqlite3_vfs* vfs) { return static_cast<const Layer*>(vfs->pAppData); }
sqlite3_vfs* below(sqlite3_vfs* vfs) { return layer(vfs)->below; }

// SQLite reports a full disk only for ENOSPC. An exhausted quota or size limit means the same to the user.
int map_disk_full(sqlite3_file* file, int rc) {
  if ((rc & 0xff) != SQLITE_IOERR) return rc;
  int error_number = 0;
  below(file)->pMethods->xFileControl(below(file), SQLITE_FCNTL_LAST_ERRNO, &error_number);
  return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG ? SQLITE_FULL : rc;
}

int close_file(sqlite3_file* file) { return below(file)->pMethods->xClose(below(file)); }

int read_file(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  const int rc = below(file)->pMethods->xRead(below(file), out, size, offset);
  if (const auto hook = shim(file)->layer->hooks.did_read) hook(shim(file)->file, size);
  return rc;
}

// Returns a copy of the page with its gap zeroed. The buffer is per thread and valid until the next call.
const void* scrubbed(const void* bytes, bool first_page) {
  thread_local std::array<unsigned char, kPageBytes> page;
  std::memcpy(page.data(), bytes, kPageBytes);
  scrub_page(page, first_page);
  return page.data();
}

int write_page(sqlite3_file* file, const void* bytes, sqlite3_int64 offset) {
  const auto* const methods = below(file)->pMethods;
  const std::span<const unsigned char, kPageBytes> page(static_cast<const unsigned char*>(bytes), kPageBytes);
  if (needs_scrubbing(page, offset == 0)) {
    sqlite3_int64 file_bytes = 0;
    if (const int rc = methods->xFileSize(below(file), &file_bytes); rc != SQLITE_OK) return rc;
    if (offset == 0 || file_bytes < scrubbed_file_bytes(page[0])) bytes = scrubbed(bytes, offset == 0);
  }
  return methods->xWrite(below(file), bytes, static_cast<int>(kPageBytes), offset);
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  const Shim& self = *shim(file);
  const VfsHooks& hooks = self.layer->hooks;
  const bool is_page = size == static_cast<int>(kPageBytes) && offset % size == 0;
  if (hooks.scrubs_pages && self.file == VfsFile::kDatabase && is_page)
    return map_disk_full(file, write_page(file, bytes, offset));
  return map_disk_full(file, below(file)->pMethods->xWrite(below(file), bytes, size, offset));
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) { return below(file)->pMethods->xTruncate(below(file), size); }
int sync_file(sqlite3_file* file, int flags) {
  if (const auto hook = shim(file)->layer->hooks.will_flush) hook(shim(file)->file);
  return map_disk_full(file, below(file)->pMethods->xSync(below(file), flags));
}
int file_size(sqlite3_file* file, sqlite3_int64* size) { return below(file)->pMethods->xFileSize(below(file), size); }
int lock_file(sqlite3_file* file, int level) { return below(file)->pMethods->xLock(below(file), level); }
int unlock_file(sqlite3_file* file, int level) { return below(file)->pMethods->xUnlock(below(file), level); }
int check_reserved(sqlite3_file* file, int* out) { return below(file)->pMethods->xCheckReservedLock(below(file), out); }
int file_control(sqlite3_file* file, int op, void* arg) { return below(file)->pMethods->xFileControl(below(file), op, arg); }
int sector_size(sqlite3_file* file) { return below(file)->pMethods->xSectorSize(below(file)); }
int characteristics(sqlite3_file* file) { return below(file)->pMethods->xDeviceCharacteristics(below(file)); }
int shm_map(sqlite3_file* file, int page, int size, int extend, void volatile** out) {
  return below(file)->pMethods->xShmMap(below(file), page, size, extend, out);
}
int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
  return below(file)->pMethods->xShmLock(below(file), offset, count, flags);
}
void shm_barrier(sqlite3_file* file) { below(file)->pMethods->xShmBarrier(below(file)); }
int shm_unmap(sqlite3_file* file, int remove) { return below(file)->pMethods->xShmUnmap(below(file), remove); }

// Version 2: with the shared memory of the log but without memory-mapped pages (xFetch), so all reads and writes pass here.
constexpr sqlite3_io_methods kMethods = {
    2,         close_file,  read_file,      write_file,   truncate_file, sync_file,       file_size,
    lock_file, unlock_file, check_reserved, file_control, sector_size,   characteristics, shm_map,
    shm_lock,  shm_barrier, shm_unmap,      nullptr,      nullptr,
};

VfsFile kind_of(int flags) {
  if (flags & SQLITE_OPEN_MAIN_DB) return VfsFile::kDatabase;
  return flags & SQLITE_OPEN_WAL ? VfsFile::kLog : VfsFile::kOther;
}

static_assert(std::is_trivially_destructible_v<Shim>, "SQLite frees a file without a call to its destructor");

int open_file(sqlite3_vfs* vfs, sqlite3_filename name, sqlite3_file* file, int flags, int* out_flags) {
  const auto opened = new (static_cast<void*>(file)) Shim;
  opened->layer = layer(vfs);
  opened->file = kind_of(flags);
  below(file)->pMethods = nullptr;
  const int rc = below(vfs)->xOpen(below(vfs), name, below(file), flags, out_flags);
  if (below(file)->pMethods) opened->base.pMethods = &kMethods;  // also set after a partial failure, so that SQLite closes it
  return rc;
}

int delete_file(sqlite3_vfs* vfs, const char* name, int sync) { return below(vfs)->xDelete(below(vfs), name, sync); }
int access_file(sqlite3_vfs* vfs, const char* name, int flags, int* out) {
  return below(vfs)->xAccess(below(vfs), name, flags, out);
}
int full_path(sqlite3_vfs* vfs, const char* name, int size, char* out) {
  return below(vfs)->xFullPathname(below(vfs), name, size, out);
}
int randomness(sqlite3_vfs* vfs, int size, char* out) { return below(vfs)->xRandomness(below(vfs), size, out); }
int sleep_for(sqlite3_vfs* vfs, int microseconds) { return below(vfs)->xSleep(below(vfs), microseconds); }
int current_time(sqlite3_vfs* vfs, double* out) { return below(vfs)->xCurrentTime(below(vfs), out); }
int last_error(sqlite3_vfs* vfs, int size, char* out) { return below(vfs)->xGetLastError(below(vfs), size, out); }
int current_time_ms(sqlite3_vfs* vfs, sqlite3_int64* out) { return below(vfs)->xCurrentTimeInt64(below(vfs), out); }

constexpr const char* kOwnVfs = "ladder";
std::atomic<const char*> chosen_vfs = nullptr;

Mutex& registry_mutex() {
  static Mutex mutex;
  return mutex;
}

}  // namespace

Status register_vfs(const char* name, const char* base, const VfsHooks& hooks) {
  static std::vector<std::unique_ptr<Layer>>& layers =
      *new std::vector<std::unique_ptr<Layer>>;  // SQLite keeps pointers to them forever
  const MutexLock lock(registry_mutex());
  if (sqlite3_vfs_find(name)) return {};
  sqlite3_vfs* const real = sqlite3_vfs_find(base);
  if (!real) return fail(Code::kInternal, "SQLite has no file layer for this operating system");
  auto added = std::make_unique<Layer>();
  added->below = real;
  added->hooks = hooks;
  sqlite3_vfs& vfs = added->vfs;
  vfs.iVersion = 2;
  vfs.szOsFile = static_cast<int>(kShimBytes) + real->szOsFile;
  vfs.mxPathname = real->mxPathname;
  vfs.zName = name;
  vfs.pAppData = added.get();
  vfs.xOpen = open_file;
  vfs.xDelete = delete_file;
  vfs.xAccess = access_file;
  vfs.xFullPathname = full_path;
  vfs.xRandomness = randomness;
  vfs.xSleep = sleep_for;
  vfs.xCurrentTime = current_time;
  vfs.xGetLastError = last_error;
  vfs.xCurrentTimeInt64 = current_time_ms;
  if (const int rc = sqlite3_vfs_register(&vfs, 0); rc != SQLITE_OK) {
    return std::unexpected(sqlite_error(nullptr, rc, "registering a file layer"));
  }
  layers.push_back(std::move(added));
  return {};
}

Result<const char*> vfs_name() {
  static const Status registered = [] {
    // SQLite counts its memory under one process-wide lock, on every small allocation, and Ladder does not use the
    // count. The call is rejected, without harm, if SQLite was already initialized in this process.
    sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
    return register_vfs(kOwnVfs, nullptr, {.scrubs_pages = true});
  }();
  if (!registered) return std::unexpected(registered.error());
  const char* const chosen = chosen_vfs.load();
  return chosen ? chosen : kOwnVfs;
}

void use_vfs(const char* name) { chosen_vfs = name; }

// A VFS over Ladder's own that counts reads.

namespace {

constexpr const char* kCountingVfs = "ladder-counting";

struct Counter {
  std::atomic<std::int64_t> reads = 0;
  std::atomic<std::int64_t> bytes = 0;

  void add(int size) {
    ++reads;
    bytes += size;
  }
  void reset() {
    reads = 0;
    bytes = 0;
  }
};

Counter database;
Counter log_file;

void count(VfsFile file, int bytes) {
  if (file == VfsFile::kDatabase) database.add(bytes);
  if (file == VfsFile::kLog) log_file.add(bytes);
}

}  // namespace

Status install_counting_vfs() {
  use_vfs(nullptr);
  LADDER_TRY(const char* own, vfs_name());
  LADDER_CHECK(register_vfs(kCountingVfs, own, {.did_read = count}));
  use_vfs(kCountingVfs);
  return {};
}

ReadCounts read_counts() { return {database.reads, database.bytes, log_file.reads, log_file.bytes}; }

void reset_read_counts() {
  database.reset();
  log_file.reset();
}

}  // namespace ladder::store::sqlite
