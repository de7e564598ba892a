#include "store/sqlite/engine/reserve.h"

#include "base/file_owner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

constexpr int kFlags = O_RDWR | O_CLOEXEC | O_NOFOLLOW;

class File {
 public:
  explicit File(int fd) : fd_(fd) {}
  ~File() {
    if (fd_ >= 0) ::close(fd_);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;

  explicit operator bool() const { return fd_ >= 0; }
  int fd() const { return fd_; }
  std::size_t size() const {
    struct stat about{};
    return ::fstat(fd_, &about) == 0 ? static_cast<std::size_t>(about.st_size) : 0;
  }

 private:
  int fd_;
};

}  // namespace

void Reserve::refill() const {
  struct stat about{};
  if (::stat(path_.c_str(), &about) == 0 && about.st_size == static_cast<off_t>(kBytes)) return;
  const File file(open_or_create_file(path_, kFlags));
  if (!file) return;
  const std::size_t before = file.size();
  // Allocates blocks, not only a length. If the disk is too full for that, the file keeps its previous size.
  if (::posix_fallocate(file.fd(), 0, static_cast<off_t>(kBytes)) != 0) {
    [[maybe_unused]] const int cut = ::ftruncate(file.fd(), static_cast<off_t>(std::min(before, kBytes)));
  }
}

bool Reserve::release() const {
  const File file(::open(path_.c_str(), kFlags));
  if (!file) return false;
  const std::size_t size = file.size();
  if (size == 0) return false;
  return ::ftruncate(file.fd(), static_cast<off_t>(size > kPieceBytes ? size - kPieceBytes : 0)) == 0;
}

}  // namespace ladder::store::sqlite
