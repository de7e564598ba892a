#include "server/ledger/journal_file.h"

#include "base/text/bytes.h"
#include "base/text/format.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

namespace ladder::server {
namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kFirstRoom = 64 * 1024;  // a few hundred windows, enough for a quiet second
constexpr std::size_t kMaxStep = 1024 * 1024;  // the allocation doubles up to this size, then grows by it
constexpr std::size_t kLengthBytes = 8;        // the checksum has the same size

// Writing to a mapping of a full disk raises SIGBUS unless its blocks are allocated. These file systems keep the
// blocks that fallocate() allocated; copy-on-write (Btrfs, ZFS) and remote (NFS) ones may fail later.
bool keeps_allocated_blocks(int descriptor) {
  struct statfs facts{};
  if (::fstatfs(descriptor, &facts) != 0) return false;
  const auto type = static_cast<std::uint32_t>(facts.f_type);
  return type == EXT4_SUPER_MAGIC || type == XFS_SUPER_MAGIC || type == TMPFS_MAGIC;
}

// Returns zero or the error number.
int allocate(int descriptor, std::size_t from, std::size_t to) {
  int failed = 0;
  do {
    failed = ::fallocate(descriptor, 0, static_cast<off_t>(from), static_cast<off_t>(to - from)) == 0 ? 0 : errno;
  } while (failed == EINTR);
  return failed;
}

bool is_full(int error_number) { return error_number == ENOSPC || error_number == EDQUOT || error_number == EFBIG; }

std::size_t to_pages(std::size_t bytes) { return (bytes + kPage - 1) / kPage * kPage; }

// Stores the length with a single write, so that it is either complete or missing.
void store_be(char* to, std::uint64_t value) {
  const std::uint64_t big_endian = std::endian::native == std::endian::little ? std::byteswap(value) : value;
  std::memcpy(to, &big_endian, sizeof big_endian);
}

}  // namespace

std::uint64_t frame_checksum(std::string_view entry) { return Checksum().add(entry).value(); }

std::unexpected<Error> journal_not_written(int error_number, std::string_view doing, std::string_view path) {
  Error error{Code::kStoreUnavailable,
              is_full(error_number)
                  ? "the disk is full, so the read can't be recorded in the ledger; reads are refused until there is space"
                  : "the read can't be recorded in the ledger, so it is refused; try again"};
  error.log_detail = format("the ledger's journal {}: {}: {}", path, doing, std::generic_category().message(error_number));
  return std::unexpected(std::move(error));
}

JournalFile::JournalFile(std::string path, int descriptor, Writing wanted)
    : path_(std::move(path)),
      descriptor_(descriptor),
      writing_(wanted == Writing::kMapped && keeps_allocated_blocks(descriptor) ? Writing::kMapped : Writing::kByCalls) {}

JournalFile::~JournalFile() {
  finish();
  ::close(descriptor_);
}

void JournalFile::finish() {
  if (mapped_ != nullptr) (void)::munmap(mapped_, allocated_);
  mapped_ = nullptr;
  allocated_ = 0;
  // If truncation fails, the file keeps trailing zeros, which the sweep treats as its end.
  if (writing_ == Writing::kMapped) (void)!::ftruncate(descriptor_, static_cast<off_t>(size_));
  writing_ = Writing::kByCalls;
}

// Allocates blocks for `bytes` more, with preallocation if the disk has room. If the file does not support it,
// further frames are written with pwrite().
Status JournalFile::grow(std::size_t bytes) {
  const std::size_t needed = to_pages(size_ + bytes);
  const std::size_t ahead = std::max(needed, allocated_ + std::clamp(allocated_, kFirstRoom, kMaxStep));
  std::size_t end = ahead;
  int failed = allocate(descriptor_, allocated_, end);
  if (is_full(failed) && needed < ahead) failed = allocate(descriptor_, allocated_, end = needed);
  if (is_full(failed)) return journal_not_written(failed, "fallocate", path_);
  if (failed != 0 || !map(end)) finish();
  return {};
}

bool JournalFile::map(std::size_t end) {
  void* const mapped = mapped_ == nullptr ? ::mmap(nullptr, end, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor_, 0)
                                          : ::mremap(mapped_, allocated_, end, MREMAP_MAYMOVE);
  if (mapped == MAP_FAILED) return false;
  mapped_ = static_cast<char*>(mapped);
  allocated_ = end;
  return true;
}

Status JournalFile::append(std::string_view entry, std::uint64_t checksum) {
  const std::size_t bytes = kFrameHead + entry.size();
  if (!has_room(bytes)) {
    if (writing_ == Writing::kMapped) LADDER_CHECK(grow(bytes));
    if (writing_ == Writing::kByCalls) return write_frame(entry, checksum);
  }
  char* const frame = mapped_ + size_;
  store_be(frame + kLengthBytes, checksum);
  std::memcpy(frame + kFrameHead, entry.data(), entry.size());
  // The process can be killed between any two instructions, so a compiler fence orders the stores; readers start only
  // after the file lock is released.
  std::atomic_signal_fence(std::memory_order_seq_cst);
  store_be(frame, entry.size());
  size_ += bytes;
  return {};
}

Status JournalFile::write_frame(std::string_view entry, std::uint64_t checksum) {
  std::string frame;
  frame.reserve(kFrameHead + entry.size());
  put_u64_be(frame, entry.size());
  put_u64_be(frame, checksum);
  frame += entry;
  ssize_t written = -1;
  do {
    written = ::pwrite(descriptor_, frame.data(), frame.size(), static_cast<off_t>(size_));
  } while (written < 0 && errno == EINTR);
  if (written != std::ssize(frame)) {
    const int why = written < 0 ? errno : ENOSPC;
    torn_ = written > 0 && ::ftruncate(descriptor_, static_cast<off_t>(size_)) != 0;
    return journal_not_written(why, "write", path_);
  }
  size_ += frame.size();
  return {};
}

}  // namespace ladder::server
