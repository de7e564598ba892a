// The file of a journal while it is written. Its frames are
//
//   8 bytes of length (big-endian), 8 bytes of checksum, an entry (entry.h)
//
// Zeros after the last frame are preallocated space. If the file system guarantees preallocated blocks, a frame is
// copied into a shared mapping of the file. Its pages belong to the kernel, so like data passed to write() they survive
// the death of the process, at a twentieth of the cost. The length is stored last, so a process killed in between has
// written no frame. On other file systems, and for a durable journal, frames are written with pwrite().
//
// Not thread-safe: Journal (journal.h) serializes its calls.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::server {

inline constexpr std::size_t kFrameHead = 16;

std::uint64_t frame_checksum(std::string_view entry);

// Returns kStoreUnavailable. The message is sent to clients and contains no path; the detail is for the log.
std::unexpected<Error> journal_not_written(int error_number, std::string_view doing, std::string_view path);

class JournalFile {
 public:
  enum class Writing : std::uint8_t { kMapped, kByCalls };

  // Takes ownership of the descriptor of an empty file. kMapped falls back to calls on unsuitable file systems.
  JournalFile(std::string path, int descriptor, Writing wanted);
  ~JournalFile();  // frees the preallocated space
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  // Returns once the entry is in the kernel. On kStoreUnavailable nothing of it remains, unless is_torn().
  Status append(std::string_view entry, std::uint64_t checksum);
  // Unmaps the file and truncates it after its last frame.
  void finish();

  // A partially written frame could not be removed; no frame may follow it.
  bool is_torn() const { return torn_; }
  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }  // of complete frames

 private:
  bool has_room(std::size_t bytes) const { return mapped_ != nullptr && bytes <= allocated_ - size_; }
  Status grow(std::size_t bytes);
  bool map(std::size_t end);
  Status write_frame(std::string_view entry, std::uint64_t checksum);

  const std::string path_;
  const int descriptor_;
  Writing writing_;
  char* mapped_ = nullptr;     // null, or the allocated bytes of the file
  std::size_t allocated_ = 0;  // preallocated bytes of the file
  std::size_t size_ = 0;       // of complete frames
  bool torn_ = false;
};

}  // namespace ladder::server
