// A file on disk, or several that make one when put after each other, read at any offset.
#pragma once

#include "base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <vector>

namespace ladder::imports {

class FilePieces {
 public:
  // kNotFound when one of them cannot be opened.
  static Result<FilePieces> open(const std::vector<std::filesystem::path>& paths);
  ~FilePieces();
  FilePieces(FilePieces&&) noexcept;
  FilePieces& operator=(FilePieces&&) = delete;

  std::int64_t size() const { return size_; }
  // Up to `capacity` bytes from there; 0 at the end.
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t capacity) const;

 private:
  FilePieces() = default;
  struct Piece {
    int descriptor = -1;
    std::int64_t begin = 0, size = 0;
  };
  std::vector<Piece> pieces_;
  std::int64_t size_ = 0;
};

}  // namespace ladder::imports
