// How bulk writers of several processes come to WRITER without standing in anybody's way: one after the other by a lock file of
// their own (BULK), and never holding QUEUE while they wait, so that whoever comes with a small write is next.
#include "store/sqlite/turnstile.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <thread>

namespace ladder::store::sqlite {
namespace {

using Clockwork = std::chrono::steady_clock;

constexpr auto kLook = std::chrono::milliseconds(1);
constexpr auto kMostYielding = std::chrono::milliseconds(250);  // then it queues like everybody, so that it comes to its turn
constexpr auto kMostBehindBulk = std::chrono::seconds(1);       // a bulk writer that was stopped does not hold up the others

bool try_lock(int fd) { return ::flock(fd, LOCK_EX | LOCK_NB) == 0; }

// Its own descriptor, closed when the turn has come: that lets the next bulk writer in.
class BulkLine {
 public:
  explicit BulkLine(const std::string& path) : fd_(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600)) {}
  ~BulkLine() {
    if (fd_ >= 0) ::close(fd_);
  }
  BulkLine(const BulkLine&) = delete;
  BulkLine& operator=(const BulkLine&) = delete;

  bool is_first() {
    if (!first_) first_ = fd_ < 0 || try_lock(fd_);  // without a file there is no line
    return first_;
  }

 private:
  int fd_;
  bool first_ = false;
};

}  // namespace

Status Turnstile::enter_files_in_bulk(Deadline deadline) {
  LADDER_CHECK(open_files());
  BulkLine line(bulk_path_);
  const auto began = Clockwork::now();
  auto first_since = began;
  while (!line.is_first() && Clockwork::now() - began < kMostBehindBulk && !deadline.passed()) {
    std::this_thread::sleep_for(kLook);
    first_since = Clockwork::now();
  }
  while (Clockwork::now() - first_since < kMostYielding && !deadline.passed()) {
    if (try_lock(queue_)) {
      const bool entered = try_lock(writer_);
      ::flock(queue_, LOCK_UN);
      if (entered) return {};
    }
    std::this_thread::sleep_for(kLook);
  }
  return enter_files(deadline);
}

}  // namespace ladder::store::sqlite
