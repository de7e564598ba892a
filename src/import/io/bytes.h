// Sequential access to the bytes of a file on disk, in a zip or in a tar.gz.
// (The namespace is `imports` because `import` is a C++ keyword.)
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
  // Reads up to `capacity` bytes; returns 0 at the end. Returns kResourceLimit if a limit of limits.h is exceeded,
  // kInvalidRequest if the archive is damaged.
  virtual Result<std::size_t> read(char* buffer, std::size_t capacity) = 0;
};

// Reads from memory. The memory must outlive this object.
class BytesInMemory final : public Bytes {
 public:
  explicit BytesInMemory(std::string_view bytes) : rest_(bytes) {}
  Result<std::size_t> read(char* buffer, std::size_t capacity) override;

 private:
  std::string_view rest_;
};

// Reads everything up to the end; kResourceLimit if that is more than `max_bytes`.
Result<std::string> read_to_end(Bytes& bytes, std::size_t max_bytes);

// Appends the next piece of `bytes` to a buffer. Most files of some exports are small, so pieces grow from kFirstPieceBytes to
// `max_bytes`. `bytes` must outlive this object.
class Pieces {
 public:
  static constexpr std::size_t kFirstPieceBytes = 4 * 1024;

  Pieces(Bytes& bytes, std::size_t max_bytes) : bytes_(bytes), max_bytes_(max_bytes) {}
  Result<std::size_t> append_to(std::string& buffer);  // returns how many bytes; 0 at the end

 private:
  Bytes& bytes_;
  std::size_t max_bytes_;
  std::size_t piece_bytes_ = 0;  // size of the last piece
};

// Skips `count` bytes, or fewer if the end comes first.
Status skip(Bytes& bytes, std::int64_t count);

// A file on disk, or several read as one, with random access. Any number of FilePieces may exist: the number of open
// descriptors is bounded, and the least recently used one is closed to open another.
class FilePieces {
 public:
  // With a `root`, no link in a path below it is followed. Without one the owner named the path, and links are followed.
  // Returns kNotFound if a file cannot be opened.
  static Result<FilePieces> open(const std::vector<std::filesystem::path>& paths, const std::filesystem::path& root = {});
  ~FilePieces();
  FilePieces(FilePieces&&) noexcept;
  FilePieces& operator=(FilePieces&&) = delete;

  std::int64_t size() const { return size_; }
  // Reads up to `capacity` bytes at `offset`; returns 0 at the end. Returns kConflict if the file was replaced in the meantime.
  Result<std::size_t> read_at(std::int64_t offset, char* buffer, std::size_t capacity) const;

  static std::size_t open_count();  // open descriptors of all FilePieces

 private:
  FilePieces() = default;
  struct Piece {
    std::filesystem::path path, root;
    std::uint64_t id = 0;  // key in the list of open files
    std::int64_t begin = 0, size = 0;
    dev_t device = 0;
    ino_t inode = 0;
  };
  static Result<int> descriptor_of(const Piece& piece);

  std::vector<Piece> pieces_;
  std::int64_t size_ = 0;
};

}  // namespace ladder::imports
