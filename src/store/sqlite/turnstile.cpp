// flock() has no deadline, so when a lock is taken a thread of its own waits for it, and the caller waits for the thread. A
// caller that gives up leaves thread and descriptors behind; the thread closes them when its turn comes, which lets the next one
// in.
#include "store/sqlite/turnstile.h"

#include "store/sqlite/errors.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <thread>

namespace ladder::store::sqlite {
namespace {

Error held_too_long() {
  return {Code::kStoreUnavailable,
          "another writer holds the store and has not let go: wait for the import or program that is writing, or end it, then "
          "try again"};
}

Result<int> open_lock(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (fd < 0) return std::unexpected(file_error(errno, path, "opening the lock file"));
  return fd;
}

// 0, or the errno.
int lock(int fd, int operation) {
  while (::flock(fd, operation) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

struct Wait {
  std::mutex mutex;
  std::condition_variable done_changed;
  bool done = false;
  bool abandoned = false;
  int error = 0;
};

void wait_in_thread(const std::shared_ptr<Wait>& wait, int queue, int writer, bool have_queue) {
  int error = have_queue ? 0 : lock(queue, LOCK_EX);
  if (error == 0) error = lock(writer, LOCK_EX);
  lock(queue, LOCK_UN);
  const std::lock_guard guard(wait->mutex);
  if (wait->abandoned) {
    ::close(writer);
    ::close(queue);
    return;
  }
  wait->error = error;
  wait->done = true;
  wait->done_changed.notify_one();
}

}  // namespace

Turnstile::Turnstile(const std::string& database_path)
    : queue_path_(database_path + "-queue"), writer_path_(database_path + "-writer"), bulk_path_(database_path + "-bulk") {}

Turnstile::~Turnstile() {
  if (queue_ >= 0) ::close(queue_);
  if (writer_ >= 0) ::close(writer_);
}

Result<Turnstile::Pass> Turnstile::enter(Deadline deadline, Haste haste) {
  if (!enter_line(deadline, haste)) return std::unexpected(held_too_long());
  if (Status entered = haste == Haste::kNone ? enter_files_in_bulk(deadline) : enter_files(deadline); !entered) {
    leave_line();
    return std::unexpected(std::move(entered).error());
  }
  return Pass(this);
}

void Turnstile::leave() {
  lock(writer_, LOCK_UN);
  leave_line();
}

// Another process that waits holds QUEUE.
bool Turnstile::is_awaited() {
  {
    const std::lock_guard guard(mutex_);
    if (std::ranges::any_of(waiting_, [](const Waiter* waiter) { return waiter->haste != Haste::kNone; })) return true;
  }
  if (lock(queue_, LOCK_EX | LOCK_NB) != 0) return true;
  lock(queue_, LOCK_UN);
  return false;
}

bool Turnstile::enter_line(Deadline deadline, Haste haste) {
  std::unique_lock guard(mutex_);
  if (!taken_ && waiting_.empty()) {
    taken_ = true;
    return true;
  }
  Waiter self;
  self.haste = haste;
  const auto behind = std::ranges::find_if(waiting_, [&](const Waiter* waiter) { return waiter->haste < haste; });
  waiting_.insert(haste == Haste::kUrgent ? behind : waiting_.end(), &self);
  if (self.arrived.wait_for(guard, deadline.left(), [&] { return self.served; })) return true;
  waiting_.remove(&self);
  return false;
}

// Hands the place straight to the next in line, so that a thread that comes back at once cannot overtake it.
void Turnstile::leave_line() {
  const std::lock_guard guard(mutex_);
  if (waiting_.empty()) {
    taken_ = false;
    return;
  }
  Waiter* const next = waiting_.front();
  waiting_.pop_front();
  next->served = true;
  next->arrived.notify_one();
}

Status Turnstile::open_files() {
  if (queue_ < 0) {
    LADDER_TRY(queue_, open_lock(queue_path_));
  }
  if (writer_ < 0) {
    LADDER_TRY(writer_, open_lock(writer_path_));
  }
  return {};
}

Status Turnstile::enter_files(Deadline deadline) {
  LADDER_CHECK(open_files());
  bool have_queue = false;
  int error = lock(queue_, LOCK_EX | LOCK_NB);
  if (error == 0) {
    have_queue = true;
    error = lock(writer_, LOCK_EX | LOCK_NB);
    if (error == 0) {
      lock(queue_, LOCK_UN);
      return {};
    }
  }
  if (error == EWOULDBLOCK) return wait_for_files(have_queue, deadline);
  if (have_queue) lock(queue_, LOCK_UN);
  return std::unexpected(file_error(error, writer_path_, "locking"));
}

Status Turnstile::wait_for_files(bool have_queue, Deadline deadline) {
  const auto wait = std::make_shared<Wait>();
  std::thread(wait_in_thread, wait, queue_, writer_, have_queue).detach();
  std::unique_lock guard(wait->mutex);
  if (!wait->done_changed.wait_for(guard, deadline.left(), [&] { return wait->done; })) {
    wait->abandoned = true;
    queue_ = writer_ = -1;  // the thread's now
    return std::unexpected(held_too_long());
  }
  if (wait->error != 0) return std::unexpected(file_error(wait->error, writer_path_, "locking"));
  return {};
}

}  // namespace ladder::store::sqlite
