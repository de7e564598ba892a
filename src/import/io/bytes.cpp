// Buffers grow with the bytes that are read, never with the size that an archive claims.
#include "import/io/bytes.h"

#include "base/text/format.h"
#include "import/io/limits.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <list>
#include <mutex>
#include <system_error>
#include <utility>

namespace ladder::imports {
namespace {

constexpr std::size_t kPieceBytes = 64 * 1024;

}  // namespace

Result<std::size_t> BytesInMemory::read(char* buffer, std::size_t capacity) {
  const std::size_t count = std::min(capacity, rest_.size());
  if (count > 0) std::memcpy(buffer, rest_.data(), count);
  rest_.remove_prefix(count);
  return count;
}

Result<std::size_t> Pieces::append_to(std::string& buffer) {
  const std::size_t before = buffer.size();
  piece_bytes_ = std::clamp(2 * piece_bytes_, kFirstPieceBytes, max_bytes_);
  buffer.resize(before + piece_bytes_);
  auto count = bytes_.read(buffer.data() + before, piece_bytes_);
  buffer.resize(before + count.value_or(0));
  return count;
}

Result<std::string> read_to_end(Bytes& bytes, std::size_t max_bytes) {
  std::string whole;
  for (Pieces pieces(bytes, kPieceBytes);;) {
    LADDER_TRY(const std::size_t count, pieces.append_to(whole));
    if (whole.size() > max_bytes) return fail(Code::kResourceLimit, format("it is larger than {} bytes", max_bytes));
    if (count == 0) return whole;
  }
}

Status skip(Bytes& bytes, std::int64_t count) {
  std::array<char, kPieceBytes> passed;
  while (count > 0) {
    const auto wanted = static_cast<std::size_t>(std::min<std::int64_t>(count, kPieceBytes));
    LADDER_TRY(const std::size_t got, bytes.read(passed.data(), wanted));
    if (got == 0) break;
    count -= static_cast<std::int64_t>(got);
  }
  return {};
}

namespace {

namespace fs = std::filesystem;

// The open files, most recently used first.
class OpenFiles {
 public:
  // Returns -1 if the file is not open.
  int find(std::uint64_t id) {
    const auto found = std::ranges::find(files_, id, &File::id);
    if (found == files_.end()) return -1;
    files_.splice(files_.begin(), files_, found);
    return files_.front().descriptor;
  }
  void add(std::uint64_t id, int descriptor) {
    while (files_.size() >= limits::kMaxOpenFiles) {
      close(files_.back().descriptor);
      files_.pop_back();
    }
    files_.push_front({id, descriptor});
  }
  void drop(std::uint64_t id) {
    const auto found = std::ranges::find(files_, id, &File::id);
    if (found == files_.end()) return;
    close(found->descriptor);
    files_.erase(found);
  }
  std::size_t size() const { return files_.size(); }
  std::uint64_t fresh_id() { return ++last_id_; }

  std::recursive_mutex mutex;  // held while a descriptor is used and while a file is opened

 private:
  struct File {
    std::uint64_t id = 0;
    int descriptor = -1;
  };
  std::list<File> files_;
  std::uint64_t last_id_ = 0;
};

OpenFiles& the_open_files() {
  static OpenFiles files;
  return files;
}

constexpr int kReading = O_RDONLY | O_CLOEXEC | O_NONBLOCK;

// Opens folder by folder, so that no component of the path can be replaced by a link in between. Returns -1 and sets errno.
int open_folder_beneath(const fs::path& root, const fs::path& path) {
  int folder = ::open(root.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC);
  if (path == root) return folder;
  for (const fs::path& name : path.lexically_relative(root)) {
    if (folder < 0) break;
    const bool leaves = name == "..";
    const int next = leaves ? -1 : openat(folder, name.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
    const int problem = leaves ? EXDEV : errno;
    close(folder);
    errno = problem;
    folder = next;
  }
  return folder;
}

// The folder of the last file that was opened. Files are mostly opened in the order of their paths.
class LastFolder {
 public:
  int open_file(const fs::path& root, const std::string& path) {
    const std::size_t slash = path.rfind('/');
    const std::string_view folder = std::string_view(path).substr(0, slash);
    const std::string name = path.substr(slash + 1);
    if (name == "..") {
      errno = EXDEV;
      return -1;
    }
    if (descriptor_ >= 0 && folder == folder_ && root == root_) {
      const int file = openat(descriptor_, name.c_str(), kReading | O_NOFOLLOW);
      if (file >= 0) return file;  // otherwise the folder may have been replaced since
    }
    if (descriptor_ >= 0) close(descriptor_);
    root_ = root;
    folder_ = folder;
    descriptor_ = open_folder_beneath(root, folder_);
    return descriptor_ < 0 ? -1 : openat(descriptor_, name.c_str(), kReading | O_NOFOLLOW);
  }

 private:
  fs::path root_;
  std::string folder_;
  int descriptor_ = -1;
};

// Returns -1 and sets errno. Called with the mutex of the open files.
int open_beneath(const fs::path& root, const fs::path& path) {
  static LastFolder last;
  return last.open_file(root, path.native());
}

std::unexpected<Error> not_opened(int problem) {
  if (problem == ELOOP || problem == ENOTDIR) return fail(Code::kNotFound, "it was replaced by a link; links are not followed");
  return fail(Code::kNotFound, format("it cannot be opened: {}", std::generic_category().message(problem)));
}

}  // namespace

Result<int> FilePieces::descriptor_of(const Piece& piece) {
  OpenFiles& files = the_open_files();
  if (const int found = files.find(piece.id); found >= 0) return found;
  const int descriptor = piece.root.empty() ? ::open(piece.path.c_str(), kReading) : open_beneath(piece.root, piece.path);
  if (descriptor < 0) return not_opened(errno);
  files.add(piece.id, descriptor);
  struct stat file_stat{};
  if (fstat(descriptor, &file_stat) != 0 || !S_ISREG(file_stat.st_mode)) {
    files.drop(piece.id);
    return fail(Code::kNotFound, "it is not a regular file");
  }
  if (piece.inode != 0 && (file_stat.st_ino != piece.inode || file_stat.st_dev != piece.device)) {
    files.drop(piece.id);
    return fail(Code::kConflict, "it was replaced by another file during the import; import it again");
  }
  return descriptor;
}

Result<FilePieces> FilePieces::open(const std::vector<fs::path>& paths, const fs::path& root) {
  const std::lock_guard lock(the_open_files().mutex);
  FilePieces file;
  for (const auto& path : paths) {
    Piece piece{path, root, the_open_files().fresh_id(), file.size_};
    LADDER_TRY(const int descriptor, descriptor_of(piece));
    struct stat file_stat{};
    fstat(descriptor, &file_stat);
    piece.size = file_stat.st_size;
    piece.device = file_stat.st_dev;
    piece.inode = file_stat.st_ino;
    file.size_ += file_stat.st_size;
    file.pieces_.push_back(std::move(piece));
  }
  return file;
}

FilePieces::~FilePieces() {
  const std::lock_guard lock(the_open_files().mutex);
  for (const Piece& piece : pieces_) the_open_files().drop(piece.id);
}

FilePieces::FilePieces(FilePieces&& other) noexcept
    : pieces_(std::exchange(other.pieces_, {})), size_(std::exchange(other.size_, 0)) {}

std::size_t FilePieces::open_count() {
  const std::lock_guard lock(the_open_files().mutex);
  return the_open_files().size();
}

Result<std::size_t> FilePieces::read_at(std::int64_t offset, char* buffer, std::size_t capacity) const {
  for (const Piece& piece : pieces_) {
    if (offset < piece.begin || offset >= piece.begin + piece.size) continue;
    if (capacity == 0) return 0;
    const auto wanted = std::min<std::int64_t>(static_cast<std::int64_t>(capacity), piece.begin + piece.size - offset);
    const std::lock_guard lock(the_open_files().mutex);
    LADDER_TRY(const int descriptor, descriptor_of(piece));
    for (;;) {
      const ssize_t count = pread(descriptor, buffer, static_cast<std::size_t>(wanted), offset - piece.begin);
      if (count > 0) return static_cast<std::size_t>(count);
      if (count == 0) return fail(Code::kConflict, "it was truncated during the import; import it again");
      if (errno != EINTR) return fail(Code::kNotFound, format("it cannot be read: {}", std::generic_category().message(errno)));
    }
  }
  return 0;
}

}  // namespace ladder::imports
