// The file of a journal while it is written. Its frames are
//
//   8 bytes of length (big-endian), 8 bytes of checksum, an entry (entry.h)
//
// and zeros from the last frame to the end of the file are room that was allocated ahead. Where the file system keeps the blocks
// that it has allocated, a frame is copied into a shared mapping of the file: the pages belong to the kernel, so they survive the
// death of the process like bytes that were handed to write(), for a twentieth of the price. The length is stored last, so that a
// process that is killed in between has written nothing. Elsewhere, and for a durable journal, a frame is handed to pwrite().
//
// Not safe from several threads: Journal (journal.h) serializes its calls.
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

// kStoreUnavailable. Its text reaches clients and names no path; its detail is for the log.
std::unexpected<Error> journal_not_written(int error_number, std::string_view doing, std::string_view path);

class JournalFile {
 public:
  enum class Writing : std::uint8_t { kMapped, kByCalls };

  // Takes the descriptor of an empty file. kMapped is a wish: a file system that cannot keep it gets calls.
  JournalFile(std::string path, int descriptor, Writing wanted);
  ~JournalFile();  // gives the room behind the last frame back
  JournalFile(const JournalFile&) = delete;
  JournalFile& operator=(const JournalFile&) = delete;

  // With the kernel when it returns. On kStoreUnavailable nothing of it is left, unless is_torn().
  Status append(std::string_view entry, std::uint64_t checksum);
  // Unmaps the file and cuts it behind its last frame.
  void finish();

  // Part of a frame was written and could not be taken back; no frame may follow it.
  bool is_torn() const { return torn_; }
  const std::string& path() const { return path_; }
  int descriptor() const { return descriptor_; }
  std::int64_t size() const { return static_cast<std::int64_t>(size_); }  // of whole frames

 private:
  bool has_room(std::size_t bytes) const { return mapped_ != nullptr && bytes <= allocated_ - size_; }
  Status grow(std::size_t bytes);
  bool map(std::size_t end);
  Status write_frame(std::string_view entry, std::uint64_t checksum);

  const std::string path_;
  const int descriptor_;
  Writing writing_;
  char* mapped_ = nullptr;     // null, or the allocated bytes of the file
  std::size_t allocated_ = 0;  // bytes of the file that have blocks ahead of need
  std::size_t size_ = 0;       // of whole frames
  bool torn_ = false;
};

}  // namespace ladder::server
