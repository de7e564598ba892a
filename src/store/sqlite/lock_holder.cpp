// Who holds SQLite's write lock. SQLite locks a byte of the -shm file with a POSIX lock, and Linux lists those in /proc/locks
// with their process. The file itself must not be opened for asking: closing it again would drop the locks of this whole process.
#include "base/format.h"
#include "store/sqlite/turnstile.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <cstdio>
#include <fstream>
#include <optional>

namespace ladder::store::sqlite {
namespace {

constexpr long long kWriteLockByte = 120;  // WAL_WRITE_LOCK, by the WAL format of SQLite

// A line of /proc/locks: "1: POSIX  ADVISORY  WRITE 1234 08:01:131109 120 120".
std::optional<int> holder_of(const struct stat& file) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    int process = 0;
    unsigned major_no = 0, minor_no = 0;
    unsigned long long inode = 0;
    long long first = 0, last = 0;
    if (std::sscanf(line.c_str(), "%*s POSIX %*s WRITE %d %x:%x:%llu %lld %lld", &process, &major_no, &minor_no, &inode, &first,
                    &last) != 6) {
      continue;
    }
    const bool same = inode == file.st_ino && major_no == major(file.st_dev) && minor_no == minor(file.st_dev);
    if (same && process > 0 && first <= kWriteLockByte && kWriteLockByte <= last) return process;
  }
  return std::nullopt;
}

// Its state is the letter behind the name in brackets, which may hold brackets itself.
bool is_stopped(int process) {
  std::ifstream file(format("/proc/{}/stat", process));
  std::string text;
  std::getline(file, text);
  const std::size_t name_end = text.rfind(") ");
  if (name_end == std::string::npos || name_end + 2 >= text.size()) return false;
  return text[name_end + 2] == 'T' || text[name_end + 2] == 't';
}

}  // namespace

Error held_too_long(const std::string& database_path) {
  struct stat shared_memory{};
  if (::stat((database_path + "-shm").c_str(), &shared_memory) == 0) {
    const auto holder = holder_of(shared_memory);
    if (holder && is_stopped(*holder)) {
      return {
          Code::kStoreUnavailable,
          format("process {} was stopped in the middle of a write and holds the store: let it go on with `kill -CONT {}`, or end "
                 "it with `kill -KILL {}`, then try again",
                 *holder, *holder, *holder)};
    }
  }
  return {Code::kStoreUnavailable,
          "another writer holds the store and has not let go: wait for the import or program that is writing, or end it, then "
          "try again"};
}

}  // namespace ladder::store::sqlite
