#include "server/ledger/journal.h"

#include "base/file_owner.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/random.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <system_error>
#include <utility>

namespace ladder::server {
namespace {

constexpr std::string_view kEnding = ".journal", kRestEnding = ".rest";
constexpr std::size_t kNameBytes = 16;
constexpr std::uint64_t kMaxFrame = 64 * 1024 * 1024;  // no response discloses that much; a longer frame is damage
constexpr int kOpenTries = 8;
constexpr std::size_t kBlock = 64 * 1024;  // read size when checking the end of a file

bool lock_now(int descriptor) { return ::flock(descriptor, LOCK_EX | LOCK_NB) == 0; }

// A file without a name was deleted by another process.
bool has_name(int descriptor) {
  struct stat facts{};
  return ::fstat(descriptor, &facts) == 0 && facts.st_nlink > 0;
}

std::size_t read_fully(int descriptor, char* into, std::size_t count, std::int64_t at) {
  std::size_t done = 0;
  while (done < count) {
    const ssize_t got = ::pread(descriptor, into + done, count - done, at + static_cast<std::int64_t>(done));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    done += static_cast<std::size_t>(got);
  }
  return done;
}

// Checks that the rest of the file is zeros: space preallocated by a killed process.
bool has_only_zeros(int descriptor, std::int64_t from) {
  std::string block(kBlock, '\0');
  for (;;) {
    const std::size_t got = read_fully(descriptor, block.data(), block.size(), from);
    if (std::string_view(block).substr(0, got).find_first_not_of('\0') != std::string_view::npos) return false;
    if (got < block.size()) return true;
    from += static_cast<std::int64_t>(got);
  }
}

}  // namespace

ClosedJournal::~ClosedJournal() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string ClosedJournal::name() const { return path_.substr(path_.rfind('/') + 1); }

void ClosedJournal::finish(std::int64_t read_to) {
  if (has_only_zeros(descriptor_, read_to)) (void)::unlink(path_.c_str());
  else (void)::rename(path_.c_str(), (path_ + std::string(kRestEnding)).c_str());
}

Result<ClosedJournal::Part> ClosedJournal::read(std::int64_t from, std::size_t most) const {
  Part part;
  part.next = from;
  std::string bytes(most, '\0');
  bytes.resize(read_fully(descriptor_, bytes.data(), bytes.size(), from));
  const bool all_read = bytes.size() < most;
  for (std::string_view left = bytes;;) {
    const std::uint64_t size = left.size() < kFrameHead ? 0 : get_u64_be(left.substr(0, 8));
    if (size > kMaxFrame) {
      part.at_end = true;
      break;
    }
    if (left.size() < kFrameHead + size) {  // the next part starts here, or the buffer grows for this frame
      part.at_end = all_read;
      if (all_read || part.next > from) break;
      return read(from, kFrameHead + std::max<std::size_t>(static_cast<std::size_t>(size), most));
    }
    const std::string_view entry = left.substr(kFrameHead, static_cast<std::size_t>(size));
    if (frame_checksum(entry) != get_u64_be(left.substr(8, 8))) {
      part.at_end = true;
      break;
    }
    part.frames.emplace_back(entry);
    left.remove_prefix(kFrameHead + entry.size());
    part.next += static_cast<std::int64_t>(kFrameHead + entry.size());
  }
  return part;
}

Status Journal::open() {
  std::error_code ignored;  // mkdir reports the error
  std::filesystem::create_directories(std::filesystem::path(folder_).parent_path(), ignored);
  const bool made = ::mkdir(folder_.c_str(), 0700) == 0;
  if (!made && errno != EEXIST) return journal_not_written(errno, "mkdir", folder_);
  if (const int folder = made ? ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC) : -1; folder >= 0) {
    give_to_folder_owner(folder, folder_);
    ::close(folder);
  }
  for (int tries = 0; tries < kOpenTries; ++tries) {
    std::string path = format("{}/{}{}", folder_, crypto::random_hex(kNameBytes), kEnding);
    const int descriptor = ::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600);
    if (descriptor < 0) return journal_not_written(errno, "open", path);
    give_to_folder_owner(descriptor, path);
    auto file = std::make_shared<JournalFile>(std::move(path), descriptor, writing_);
    // Until it is locked, another process may treat it as an orphan.
    if (!lock_now(descriptor) || !has_name(descriptor)) continue;
    if (durable_) {
      const int folder = ::open(folder_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
      const bool synced = folder >= 0 && ::fsync(folder) == 0;
      const int why = errno;
      if (folder >= 0) ::close(folder);
      if (!synced) return journal_not_written(why, "fsync", folder_);
    }
    file_ = std::move(file);
    return {};
  }
  return journal_not_written(EAGAIN, "flock", folder_);
}

Status Journal::append(std::string_view entry) {
  const std::uint64_t checksum = frame_checksum(entry);
  std::shared_ptr<JournalFile> file;
  {
    const MutexLock lock(mutex_);
    if (!file_) LADDER_CHECK(open());
    Status appended = file_->append(entry, checksum);
    if (!appended && file_->is_torn()) file_.reset();  // readers would not find frames after a torn one, so a new file is started
    if (!appended || !durable_) return appended;
    file = file_;
  }
  if (::fdatasync(file->descriptor()) != 0) return journal_not_written(errno, "fdatasync", file->path());
  return {};
}

bool Journal::is_open() {
  const MutexLock lock(mutex_);
  return file_ != nullptr;
}

std::unique_ptr<ClosedJournal> Journal::rotate() {
  std::shared_ptr<JournalFile> file;
  {
    const MutexLock lock(mutex_);
    file = std::exchange(file_, nullptr);
  }
  if (!file) return nullptr;
  file->finish();
  // Both descriptors share the open file and therefore its lock.
  const int descriptor = ::fcntl(file->descriptor(), F_DUPFD_CLOEXEC, 0);
  if (descriptor < 0) return nullptr;  // it is swept as an orphan
  return std::make_unique<ClosedJournal>(file->path(), descriptor);
}

namespace {

// Returns the paths of the journals in a folder; empty if the folder does not exist.
std::vector<std::string> journals_in(const std::string& folder_path) {
  std::vector<std::string> paths;
  std::error_code fault;
  for (std::filesystem::directory_iterator entry(folder_path, fault), end; !fault && entry != end; entry.increment(fault)) {
    std::string path = entry->path().string();
    if (path.ends_with(kEnding)) paths.push_back(std::move(path));
  }
  return paths;
}

}  // namespace

std::int64_t Journal::bytes_in_folder() const {
  const MutexLock lock(mutex_);
  std::int64_t bytes = 0;
  for (const std::string& path : journals_in(folder_)) {
    struct stat facts{};
    if (file_ && file_->path() == path) bytes += file_->size();
    else if (::lstat(path.c_str(), &facts) == 0) bytes += facts.st_size;
  }
  return bytes;
}

std::vector<std::unique_ptr<ClosedJournal>> Journal::orphans() const {
  std::vector<std::unique_ptr<ClosedJournal>> found;
  for (const std::string& path : journals_in(folder_)) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (descriptor < 0) continue;
    if (lock_now(descriptor) && has_name(descriptor)) found.push_back(std::make_unique<ClosedJournal>(path, descriptor));
    else ::close(descriptor);
  }
  return found;
}

}  // namespace ladder::server
