#include "cli/commands/export_folder.h"

#include "base/text/bytes.h"
#include "base/text/format.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kBufferBytes = 256 * 1024;
constexpr std::string_view kPartial = ".partial";

std::unexpected<Error> cannot(std::string_view doing, const fs::path& path, int error = errno) {
  return fail(Code::kStoreUnavailable, format("cannot {} '{}': {}", doing, path.native(), std::generic_category().message(error)),
              "folder");
}

// Succeeds if `target` does not exist or is an empty folder.
Status check_free(const fs::path& target) {
  std::error_code error;
  const fs::file_status status = fs::symlink_status(target, error);
  if (status.type() == fs::file_type::not_found) return {};
  if (error) return cannot("look at", target, error.value());
  const bool empty = status.type() == fs::file_type::directory && fs::is_empty(target, error);
  if (error) return cannot("look into", target, error.value());
  if (empty) return {};
  return fail(Code::kConflict, format("'{}' already exists and is not empty; choose a new folder", target.native()), "folder");
}

// Opens and locks the partial folder, so that two exports cannot write to it.
Result<int> take_partial(const fs::path& partial) {
  if (::mkdir(partial.c_str(), S_IRWXU) != 0 && errno != EEXIST) return cannot("make the folder", partial);
  const int handle = ::open(partial.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
  if (handle < 0) return cannot("open", partial);
  if (::flock(handle, LOCK_EX | LOCK_NB) != 0) {
    ::close(handle);
    return fail(Code::kConflict,
                format("another export is writing to '{}'; wait until it is done, or choose another folder", partial.native()),
                "folder");
  }
  return handle;
}

}  // namespace

Result<std::unique_ptr<ExportFile>> ExportFile::create(const fs::path& path) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return cannot("make", path);
  return std::unique_ptr<ExportFile>(new ExportFile(path, file));
}

ExportFile::~ExportFile() {
  if (file_ >= 0) ::close(file_);
}

Status ExportFile::write(std::string_view bytes) {
  hash_.update(bytes);
  bytes_ += std::ssize(bytes);
  buffer_ += bytes;
  return buffer_.size() < kBufferBytes ? Status{} : flush();
}

Status ExportFile::flush() {
  for (std::string_view rest = buffer_; !rest.empty();) {
    const ssize_t count = ::write(file_, rest.data(), rest.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return cannot("write to", path_);
    rest.remove_prefix(static_cast<std::size_t>(count));
  }
  buffer_.clear();
  return {};
}

// Rare, so the digest of everything before the mark is computed again.
Status ExportFile::return_to_mark() {
  LADDER_CHECK(flush());
  if (::ftruncate(file_, marked_bytes_) != 0 || ::lseek(file_, marked_bytes_, SEEK_SET) < 0) return cannot("write to", path_);
  bytes_ = marked_bytes_;
  hash_ = crypto::Sha256();
  std::string piece(kBufferBytes, '\0');
  for (std::int64_t at = 0; at < bytes_;) {
    const ssize_t count = ::pread(file_, piece.data(), piece.size(), at);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return cannot("read", path_);
    hash_.update(std::string_view(piece.data(), static_cast<std::size_t>(count)));
    at += count;
  }
  return {};
}

Result<FileInfo> ExportFile::finish() {
  LADDER_CHECK(flush());
  if (::close(std::exchange(file_, -1)) != 0) return cannot("write to", path_);
  return FileInfo{bytes_, to_hex(crypto::view(hash_.finish()))};
}

Result<std::unique_ptr<ExportFolder>> ExportFolder::make(const std::string& folder) {
  std::error_code error;
  fs::path target = fs::absolute(folder, error).lexically_normal();
  if (error || folder.empty()) return fail(Code::kInvalidRequest, format("'{}' is no name of a folder", folder), "folder");
  if (!target.has_filename()) target = target.parent_path();
  if (!target.has_filename())
    return fail(Code::kConflict, format("'{}' already exists and is not empty; choose a new folder", target.native()), "folder");
  LADDER_CHECK(check_free(target));
  fs::create_directories(target.parent_path(), error);
  if (error) return cannot("make the folder", target.parent_path(), error.value());
  fs::path partial = target;
  partial += kPartial;
  LADDER_TRY(const int lock, take_partial(partial));
  std::unique_ptr<ExportFolder> made(new ExportFolder(std::move(target), std::move(partial), lock));
  for (const auto& left : fs::directory_iterator(made->partial_, error)) {
    fs::remove_all(left.path(), error);
    if (error) return cannot("remove", left.path(), error.value());
  }
  return made;
}

ExportFolder::~ExportFolder() {
  std::error_code error;
  if (!finished_) fs::remove_all(partial_, error);
  ::close(lock_);
}

Status ExportFolder::add_folder(std::string_view relative) const {
  const fs::path path = at(relative);
  return ::mkdir(path.c_str(), S_IRWXU) == 0 || errno == EEXIST ? Status{} : cannot("make the folder", path);
}

Status ExportFolder::finish() {
  if (::syncfs(lock_) != 0) return cannot("write to", partial_);
  LADDER_CHECK(check_free(target_));
  if (::rename(partial_.c_str(), target_.c_str()) != 0) return cannot("give the export its name,", target_);
  finished_ = true;
  ::syncfs(lock_);
  return {};
}

}  // namespace ladder::cli
