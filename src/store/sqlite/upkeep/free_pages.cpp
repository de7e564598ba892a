// The free list in SQLite's file format: the file header names the first trunk page. A trunk names the next trunk,
// followed by its leaves, whose bytes are unused.
#include "store/sqlite/upkeep/free_pages.h"

#include "base/mutex.h"
#include "store/sqlite/engine/vfs.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {
namespace {

constexpr std::size_t kFirstTrunkAt = 32, kFreePagesAt = 36;
constexpr std::int64_t kPageSize = static_cast<std::int64_t>(kPageBytes);

std::int64_t number_at(const std::string& page, std::size_t at) {
  std::int64_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(page[at + i]);
  return number;
}

// Returns a descriptor that is never closed. Closing any descriptor of a file drops all locks of the process on it,
// including SQLite's.
Result<int> permanent_descriptor(const std::string& path) {
  static Mutex mutex;
  static std::map<std::pair<dev_t, ino_t>, int>& open_files = *new std::map<std::pair<dev_t, ino_t>, int>;
  const MutexLock lock(mutex);
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) return std::unexpected(file_error(errno, path, "opening"));
  const auto known = open_files.find({about.st_dev, about.st_ino});
  if (known != open_files.end()) return known->second;
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0) return std::unexpected(file_error(errno, path, "opening"));
  open_files.emplace(std::pair(about.st_dev, about.st_ino), file);
  return file;
}

// Returns all leaves in ascending order, counted from 0.
Result<std::vector<std::int64_t>> free_leaves(Connection& connection) {
  sqlite3_file* file = nullptr;
  sqlite3_file_control(connection.handle(), "main", SQLITE_FCNTL_FILE_POINTER, static_cast<void*>(&file));
  std::string page(kPageBytes, '\0');
  const auto read = [&](std::int64_t number) -> Status {
    const int rc = file->pMethods->xRead(file, page.data(), static_cast<int>(kPageBytes), number * kPageSize);
    if (rc != SQLITE_OK) return std::unexpected(sqlite_error(connection.handle(), rc, "reading the free pages"));
    return {};
  };
  LADDER_CHECK(read(0));
  std::vector<std::int64_t> leaves;
  const std::int64_t all = number_at(page, kFreePagesAt);
  std::int64_t trunks = 0;
  for (std::int64_t trunk = number_at(page, kFirstTrunkAt); trunk != 0; trunk = number_at(page, 0)) {
    LADDER_CHECK(read(trunk - 1));
    const std::int64_t count = number_at(page, 4);
    if (++trunks + std::ssize(leaves) > all || count > kPageSize / 4 - 2)
      return fail(Code::kDamagedData, "the list of free pages is damaged: `ladder doctor --full` says more");
    for (std::int64_t i = 0; i < count; ++i) leaves.push_back(number_at(page, static_cast<std::size_t>(8 + 4 * i)) - 1);
  }
  if (trunks + std::ssize(leaves) != all)
    return fail(Code::kDamagedData, "the list of free pages is damaged: `ladder doctor --full` says more");
  std::ranges::sort(leaves);
  return leaves;
}

}  // namespace

Result<std::int64_t> punch_free_pages(Connection& connection, const std::string& path, std::int64_t from, Deadline deadline) {
  LADDER_TRY(const int file, permanent_descriptor(path));
  LADDER_TRY(const auto leaves, free_leaves(connection));
  bool progress = false;  // always does one step, or a slow listing would repeat forever
  for (auto first = std::ranges::lower_bound(leaves, from); first != leaves.end();) {
    if (std::exchange(progress, true) && deadline.passed()) return *first;
    auto last = first;
    while (std::next(last) != leaves.end() && *std::next(last) == *last + 1) ++last;
    if (*first < 1) return fail(Code::kDamagedData, "the list of free pages is damaged: `ladder doctor --full` says more");
    if (::fallocate(file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, *first * kPageSize, (*last - *first + 1) * kPageSize) !=
        0) {
      if (errno != EOPNOTSUPP) return std::unexpected(file_error(errno, path, "giving space back"));
      return fail(Code::kStoreUnavailable, "the file system does not support holes in files");
    }
    first = std::next(last);
  }
  return -1;
}

}  // namespace ladder::store::sqlite
