// A file layer over Ladder's own that only counts.
#include "store/sqlite/counting_vfs.h"

#include "store/sqlite/vfs.h"

#include <atomic>

namespace ladder::store::sqlite {
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
