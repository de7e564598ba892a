// A file on disk, or several that make one when put after each other, read at any offset. Any number of them may exist: a bounded
// number of files is open at a time, and the one that was not read for longest is closed for the next.
#pragma once

#include "base/result.h"

#include <sys/types.h>

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ladder::imports {

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
