#include "store/sqlite/engine/file_identity.h"

#include "base/text/format.h"

#include <sys/stat.h>

#include <cerrno>
#include <chrono>
#include <utility>

namespace ladder::store::sqlite {
namespace {

constexpr std::chrono::steady_clock::duration kCheckInterval = std::chrono::milliseconds(200);

}  // namespace

FileIdentity::FileIdentity(std::string path) : path_(std::move(path)) {
  struct stat about{};
  if (::stat(path_.c_str(), &about) != 0) return;
  device_ = about.st_dev;
  inode_ = about.st_ino;
}

Status FileIdentity::check() const {
  if (inode_ == 0) return {};
  struct stat about{};
  const bool is_there = ::stat(path_.c_str(), &about) == 0;
  if (!is_there && errno != ENOENT && errno != ENOTDIR) return {};  // unknown; the next use of the file reports its own error
  if (is_there && about.st_dev == device_ && about.st_ino == inode_) return {};
  return fail(Code::kStoreUnavailable,
              format("the store's file was {} while this program had it open: {}, then start this program again",
                     is_there ? "replaced by another" : "moved away or removed",
                     is_there ? "make sure that it is the right one" : "put it back or restore a backup"));
}

Status FileIdentity::check_throttled() {
  const std::int64_t now = std::chrono::steady_clock::now().time_since_epoch().count();
  if (now < next_check_.load(std::memory_order_relaxed)) return {};
  LADDER_CHECK(check());  // a failed check is repeated on the next call
  next_check_.store(now + kCheckInterval.count(), std::memory_order_relaxed);
  return {};
}

}  // namespace ladder::store::sqlite
