// flock() has no deadline, so a busy lock is polled. Only the thread at the front of its process's queue polls, and it
// sleeps between tries. Giving up leaves nothing to clean up.
#include "store/sqlite/engine/writer_queue.h"

#include "base/file_owner.h"
#include "base/text/format.h"
#include "store/sqlite/engine/connection.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <optional>
#include <thread>

namespace ladder::store::sqlite {
namespace {

using std::chrono::milliseconds;

// How long a writer waits for a lock file before it skips it. It is much longer than any transaction lasts while others
// wait, so only a stopped process or a rewrite of the whole file is skipped.
constexpr milliseconds kTimeout{1000};
constexpr milliseconds kUrgentTimeout{20};
constexpr std::chrono::microseconds kFirstPause{300}, kMaxPause{5000};
constexpr milliseconds kYield{10};      // longer than the pauses
constexpr milliseconds kMaxYield{250};  // after that a bulk writer queues like any other, so that it is not starved

// Returns 0 or the errno.
int lock(int fd, int operation) {
  while (::flock(fd, operation) != 0) {
    if (errno != EINTR) return errno;
  }
  return 0;
}

}  // namespace

WriterQueue::WriterQueue(const std::string& database_path) : writer_path_(database_path + "-writer") {
  queue_.path = database_path + "-queue";
  writer_.path = writer_path_;
  bulk_.path = database_path + "-bulk";
}

WriterQueue::~WriterQueue() {
  for (const LockFile* const file : {&queue_, &writer_, &bulk_}) {
    if (file->fd >= 0) ::close(file->fd);
  }
}

Result<WriterQueue::Pass> WriterQueue::enter(Deadline deadline, Priority priority, Files files) {
  const auto database = [&] { return writer_path_.substr(0, writer_path_.rfind('-')); };
  if (!enter_thread_queue(deadline, priority)) return std::unexpected(held_too_long(database()));
  Pass pass(this);
  LADDER_CHECK(priority == Priority::kLow ? enter_files_in_bulk(deadline, files) : enter_files(deadline, priority, files));
  if (!writer_.held && (files == Files::kRequired || deadline.passed())) return std::unexpected(held_too_long(database()));
  return pass;
}

void WriterQueue::leave() {
  release(queue_);
  release(writer_);
  leave_thread_queue();
}

std::size_t WriterQueue::waiting() const {
  const MutexLock guard(mutex_);
  return waiting_.size();
}

// Another process that waits holds QUEUE.
bool WriterQueue::has_waiters() {
  {
    const MutexLock guard(mutex_);
    if (std::ranges::any_of(waiting_, [](const Waiter* waiter) { return waiter->priority != Priority::kLow; })) return true;
  }
  if (queue_.held) return false;
  if (lock(queue_.fd, LOCK_EX | LOCK_NB) != 0) return true;
  lock(queue_.fd, LOCK_UN);
  queue_.stuck = false;
  return false;
}

bool WriterQueue::enter_thread_queue(Deadline deadline, Priority priority) {
  MutexLock guard(mutex_);
  if (!taken_ && waiting_.empty()) {
    taken_ = true;
    return true;
  }
  Waiter self;
  self.priority = priority;
  join_thread_queue(self);
  if (self.arrived.wait_for(guard, deadline.left(), [&] { return self.served; })) return true;
  waiting_.remove(&self);
  return false;
}

void WriterQueue::join_thread_queue(Waiter& waiter) {
  auto place = waiting_.end();
  if (waiter.priority == Priority::kUrgent) {
    place = std::ranges::find_if(waiting_, [](const Waiter* other) { return other->priority != Priority::kUrgent; });
  }
  waiting_.insert(place, &waiter);
}

// Passes ownership directly to the next waiter, so that a thread that returns at once cannot overtake it.
void WriterQueue::leave_thread_queue() {
  const MutexLock guard(mutex_);
  if (waiting_.empty()) {
    taken_ = false;
    return;
  }
  Waiter* const next = waiting_.front();
  waiting_.pop_front();
  next->served = true;
  next->arrived.notify_one();
}

// Other writers cannot queue unless they can lock QUEUE, so a bulk writer that did not get it pauses for them. A writer
// that skips WRITER keeps QUEUE until it leaves, so that the process holding WRITER cannot overtake it at SQLite's lock.
Status WriterQueue::enter_files(Deadline deadline, Priority priority, Files files) {
  const auto wait_limit = [&](const LockFile& file) {
    if (files == Files::kRequired) return deadline;
    if (file.stuck) return Deadline::after(milliseconds(0));
    return Deadline::after(priority == Priority::kUrgent ? kUrgentTimeout : kTimeout);
  };
  LADDER_CHECK(take(queue_, deadline, wait_limit(queue_)));
  if (!queue_.held && priority == Priority::kLow) std::this_thread::sleep_for(kYield);
  LADDER_CHECK(take(writer_, deadline, wait_limit(writer_)));
  if (writer_.held) release(queue_);
  return {};
}

// One bulk writer at a time polls for a moment in which neither file is locked. It holds QUEUE only during that check.
Status WriterQueue::enter_files_in_bulk(Deadline deadline, Files files) {
  LADDER_CHECK(take(bulk_, deadline, Deadline::after(bulk_.stuck ? milliseconds(0) : kTimeout)));
  const bool is_passable = queue_.stuck || writer_.stuck;  // waiting for a stopped process is useless
  const Deadline yielding = Deadline::after(is_passable ? milliseconds(0) : kMaxYield);
  Status entered;
  do {
    const auto queue = try_take(queue_);
    const auto writer = queue && *queue ? try_take(writer_) : queue;
    release(queue_);
    if (!writer) entered = std::unexpected(writer.error());
    if (!writer || *writer) break;
    std::this_thread::sleep_for(kFirstPause);
  } while (!yielding.passed() && !deadline.passed());
  if (entered && !writer_.held) entered = enter_files(deadline, Priority::kLow, files);
  release(bulk_);
  return entered;
}

Result<bool> WriterQueue::try_take(LockFile& file) {
  LADDER_CHECK(take(file, Deadline::after(milliseconds(0)), Deadline::never()));
  return file.held;
}

// Returns success without the lock when it stays busy until the deadline or the wait limit.
Status WriterQueue::take(LockFile& file, Deadline deadline, Deadline wait_limit) {
  if (file.fd < 0) {
    file.fd = open_or_create_file(file.path, O_RDWR | O_CLOEXEC);
    if (file.fd < 0) return std::unexpected(file_error(errno, file.path, "opening the lock file"));
  }
  for (auto pause = kFirstPause;; pause = std::min(pause * 11 / 10, kMaxPause)) {
    const int error = lock(file.fd, LOCK_EX | LOCK_NB);
    if (error == 0) {
      file.held = true;
      file.stuck = false;
      return {};
    }
    if (error != EWOULDBLOCK) return std::unexpected(file_error(error, file.path, "locking"));
    if (deadline.passed()) return {};
    if (wait_limit.passed()) {
      file.stuck = true;
      return {};
    }
    std::this_thread::sleep_for(pause);
  }
}

void WriterQueue::release(LockFile& file) {
  if (std::exchange(file.held, false)) lock(file.fd, LOCK_UN);
}

// Finds the process that holds SQLite's write lock. SQLite locks a byte of the -shm file with a POSIX lock, and Linux
// lists those locks and their processes in /proc/locks. The file itself must not be opened here: closing it would drop
// all of this process's locks on it.

namespace {

constexpr long long kWriteLockByte = 120;  // WAL_WRITE_LOCK in SQLite's WAL format

// Parses lines of /proc/locks such as "1: POSIX  ADVISORY  WRITE 1234 08:01:131109 120 120".
std::optional<int> holder_of(const struct stat& file) {
  std::ifstream locks("/proc/locks");
  for (std::string line; std::getline(locks, line);) {
    int process = 0;
    unsigned major_no = 0, minor_no = 0;
    unsigned long long inode = 0;
    long long first = 0, last = 0;
    // NOLINTNEXTLINE(cert-err34-c): these numbers are the kernel's own
    if (std::sscanf(line.c_str(), "%*s POSIX %*s WRITE %d %x:%x:%llu %lld %lld", &process, &major_no, &minor_no, &inode, &first,
                    &last) != 6) {
      continue;
    }
    const bool same = inode == file.st_ino && major_no == major(file.st_dev) && minor_no == minor(file.st_dev);
    if (same && process > 0 && first <= kWriteLockByte && kWriteLockByte <= last) return process;
  }
  return std::nullopt;
}

// The process state is the letter after the name in parentheses. The name may contain parentheses.
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
