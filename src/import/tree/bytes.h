// Bytes of one file, in pieces, wherever it lies: on disk, in a zip or in a tar.gz.
// (The folder's namespace is `imports`, since `import` means something of its own in C++.)
#pragma once

#include "base/error/error.h"

#include <sys/types.h>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::imports {

class Bytes {
 public:
  virtual ~Bytes() = default;
  // Up to `capacity` bytes into the buffer; 0 at the end. kResourceLimit when a limit of limits.h is crossed, kInvalidRequest
  // when the archive is damaged there.
  virtual Result<std::size_t> read(char* buffer, std::size_t capacity) = 0;
};

// Bytes that are in memory already; they must outlive this.
class BytesInMemory final : public Bytes {
 public:
  explicit BytesInMemory(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override;

 private:
  std::string_view rest_;
};

// Everything that is left; kResourceLimit when that is more than `max_bytes`.
Result<std::string> read_whole(Bytes& bytes, std::size_t max_bytes);

// Passes over so many bytes; less when the end comes first.
Status skip(Bytes& bytes, std::int64_t count);

// A file on disk, or several that make one when put after each other, read at any offset. Any number of them may exist: a bounded
// number of files is open at a time, and the one that was not read for longest is closed for the next.
class FilePieces {
 public:
  // Beneath `root` no link is followed, whichever part of the path it is; without a root the path is the owner's own, and links
  // in it are. kNotFound when one of them cannot be opened.
  static Result<FilePieces> open(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& root = {});
  ~FilePieces();
  FilePieces(FilePieces&&) noexcept;
  FilePieces& operator=(FilePieces&&) = delete;

  std::int64_t size() const { return size_; }
  // Up to `capacity` bytes from there; 0 at the end. kConflict when the file became another one meanwhile.
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t capacity) const;

  static std::size_t open_now();  // of all of them

 private:
  FilePieces() = default;
  struct Piece {
    std::filesystem::path path, root;
    std::uint64_t id = 0;  // by which it is known to those that are open
    std::int64_t begin = 0, size = 0;
    dev_t device = 0;
    ino_t inode = 0;
  };
  static Result<int> descriptor_of(const Piece& piece);

  std::vector<Piece> pieces_;
  std::int64_t size_ = 0;
};

}  // namespace ladder::imports
