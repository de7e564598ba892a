#include "app/backup/held_folder.h"

#include "base/text/format.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <memory>
#include <system_error>
#include <utility>

namespace ladder::app {

namespace fs = std::filesystem;

FileDescriptor::~FileDescriptor() {
  if (number_ >= 0) ::close(number_);
}

FileDescriptor::FileDescriptor(FileDescriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}

FileDescriptor& FileDescriptor::operator=(FileDescriptor&& other) noexcept {
  std::swap(number_, other.number_);
  return *this;
}

std::unexpected<Error> file_fault(const fs::path& path, std::string_view doing) {
  return fail(Code::kStoreUnavailable, format("{} {}: {}", doing, path.native(), std::generic_category().message(errno)));
}

Result<HeldFolder> HeldFolder::hold_at(int parent, const std::string& name, fs::path path) {
  FileDescriptor folder(::openat(parent, name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (folder.is_open()) return HeldFolder(std::move(path), std::move(folder));
  if (errno == ENOENT) return fail(Code::kNotFound, format("the folder {} does not exist", path.native()));
  if (errno != ELOOP && errno != ENOTDIR) return file_fault(path, "cannot open");
  return fail(Code::kConflict,
              format("{} is a link or a file, not a folder: remove it, or choose another target", path.native()));
}

Result<HeldFolder> HeldFolder::hold(const fs::path& path) { return hold_at(AT_FDCWD, path, path); }

Result<HeldFolder> HeldFolder::below(const std::string& name) const { return hold_at(folder_.get(), name, path(name)); }

Result<HeldFolder> HeldFolder::make_below(const std::string& name) const {
  if (::mkdirat(folder_.get(), name.c_str(), S_IRWXU) != 0 && errno != EEXIST)
    return file_fault(path(name), "cannot create the folder");
  return below(name);
}

Result<FileDescriptor> HeldFolder::create(const std::string& name) const {
  FileDescriptor file(
      ::openat(folder_.get(), name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (file.is_open()) return file;
  if (errno == EEXIST) return fail(Code::kConflict, format("{} already exists", path(name).native()));
  return file_fault(path(name), "cannot make");
}

Result<FileDescriptor> HeldFolder::open(const std::string& name) const {
  FileDescriptor file(::openat(folder_.get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!file.is_open() && errno == ENOENT) return fail(Code::kNotFound, format("the file {} does not exist", path(name).native()));
  if (!file.is_open() && errno != ELOOP) return file_fault(path(name), "cannot open");
  struct stat about{};
  if (file.is_open() && ::fstat(file.get(), &about) == 0 && S_ISREG(about.st_mode)) return file;
  return fail(Code::kDamagedData, format("{} is not a regular file", path(name).native()));
}

Result<std::string> HeldFolder::read_whole(const std::string& name, std::int64_t max_bytes) const {
  LADDER_TRY(const FileDescriptor file, open(name));
  LADDER_TRY(const std::int64_t size, size_of(file, path(name)));
  if (size > max_bytes) return fail(Code::kDamagedData, format("{} is too large", path(name).native()));
  return read_range(file, path(name), 0, size);
}

Status HeldFolder::write_whole(const std::string& name, std::string_view bytes) const {
  const std::string draft = name + std::string(kDraftSuffix);
  remove(draft);  // left by a killed process
  const auto write = [&]() -> Status {
    LADDER_TRY(const FileDescriptor file, create(draft));
    LADDER_CHECK(write_all(file, path(name), bytes));
    LADDER_CHECK(sync_file(file, path(name)));
    if (::renameat(folder_.get(), draft.c_str(), folder_.get(), name.c_str()) != 0) return file_fault(path(name), "cannot write");
    return sync();
  };
  Status done = write();
  if (!done) remove(draft);
  return done;
}

void HeldFolder::remove(const std::string& name) const { ::unlinkat(folder_.get(), name.c_str(), 0); }

void HeldFolder::remove_empty_folder(const std::string& name) const { ::unlinkat(folder_.get(), name.c_str(), AT_REMOVEDIR); }

std::vector<std::string> HeldFolder::names() const {
  std::vector<std::string> names;
  // Opens another descriptor, since closing the stream closes it.
  const int again = ::openat(folder_.get(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(again < 0 ? nullptr : ::fdopendir(again), ::closedir);
  if (!entries) return names;
  // NOLINTNEXTLINE(concurrency-mt-unsafe): the stream is local to this call.
  while (const dirent* entry = ::readdir(entries.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

Status HeldFolder::sync() const {
  // EINVAL: a network or FUSE file system that does not support fsync on folders.
  if (::fsync(folder_.get()) == 0 || errno == EINVAL) return {};
  return file_fault(path_, "cannot write to the disk of");
}

Status write_all(const FileDescriptor& file, const fs::path& path, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(file.get(), bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_fault(path, "cannot write");
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return {};
}

Status sync_file(const FileDescriptor& file, const fs::path& path) {
  if (::fsync(file.get()) == 0) return {};
  return file_fault(path, "cannot write");
}

Result<std::int64_t> size_of(const FileDescriptor& file, const fs::path& path) {
  struct stat about{};
  if (::fstat(file.get(), &about) != 0) return file_fault(path, "cannot read");
  return about.st_size;
}

Status read_range_into(const FileDescriptor& file, const fs::path& path, std::int64_t offset, std::int64_t bytes,
                       std::string& into) {
  into.resize(static_cast<std::size_t>(bytes));
  std::size_t done = 0;
  while (done < into.size()) {
    const ssize_t count = ::pread(file.get(), into.data() + done, into.size() - done, offset + static_cast<std::int64_t>(done));
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return file_fault(path, "cannot read");
    if (count == 0) return fail(Code::kDamagedData, format("{} ends too early", path.native()));
    done += static_cast<std::size_t>(count);
  }
  return {};
}

Result<std::string> read_range(const FileDescriptor& file, const fs::path& path, std::int64_t offset, std::int64_t bytes) {
  std::string read;
  LADDER_CHECK(read_range_into(file, path, offset, bytes, read));
  return read;
}

}  // namespace ladder::app
