#include "import/file_pieces.h"

#include "base/format.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ladder::imports {

Result<FilePieces> FilePieces::open(const std::vector<std::filesystem::path>& paths) {
  FilePieces file;
  for (const auto& path : paths) {
    const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (descriptor < 0) return fail(Code::kNotFound, format("it cannot be opened: {}", std::generic_category().message(errno)));
    file.pieces_.push_back({descriptor, file.size_, 0});
    struct stat facts{};
    if (fstat(descriptor, &facts) != 0 || !S_ISREG(facts.st_mode)) return fail(Code::kNotFound, "it is no ordinary file");
    file.pieces_.back().size = facts.st_size;
    file.size_ += facts.st_size;
  }
  return file;
}

FilePieces::~FilePieces() {
  for (const Piece& piece : pieces_) close(piece.descriptor);
}

FilePieces::FilePieces(FilePieces&& other) noexcept
    : pieces_(std::exchange(other.pieces_, {})), size_(std::exchange(other.size_, 0)) {}

Result<std::size_t> FilePieces::read_at(std::int64_t offset, char* buffer, std::size_t capacity) const {
  for (const Piece& piece : pieces_) {
    if (offset < piece.begin || offset >= piece.begin + piece.size) continue;
    if (capacity == 0) return 0;
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(capacity), piece.begin + piece.size - offset);
    for (;;) {
      const ssize_t count = pread(piece.descriptor, buffer, static_cast<std::size_t>(wanted), offset - piece.begin);
      if (count > 0) return static_cast<std::size_t>(count);
      if (count == 0) return fail(Code::kConflict, "it became shorter while it was read; import it again");
      if (errno != EINTR) return fail(Code::kNotFound, format("it cannot be read: {}", std::generic_category().message(errno)));
    }
  }
  return 0;
}

}  // namespace ladder::imports
