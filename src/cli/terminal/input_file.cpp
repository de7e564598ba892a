// Uses POSIX reads and polls the stop signal as well, so that Ctrl-C ends a blocked read of a pipe or a terminal.
#include "cli/terminal/input_file.h"

#include "base/text/format.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <system_error>

namespace ladder::cli {
namespace {

constexpr std::string_view kStandardInput = "-";

Result<int> open_for_reading(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return fail(Code::kNotFound, format("cannot open '{}': {}", path, std::generic_category().message(errno)), "file");
  struct stat facts{};
  if (::fstat(fd, &facts) == 0 && S_ISDIR(facts.st_mode)) {
    ::close(fd);
    return fail(Code::kNotFound, format("'{}' is a folder; a file is needed", path), "file");
  }
  return fd;
}

}  // namespace

Result<std::string> read_whole_file(const std::string& path, std::size_t max_bytes) {
  const bool standard_input = path == kStandardInput;
  LADDER_TRY(const int fd, standard_input ? Result<int>(STDIN_FILENO) : open_for_reading(path));
  std::string text;
  std::array<char, 65536> buffer;
  Status status;
  while (status) {
    const ssize_t got = ::read(fd, buffer.data(), buffer.size());
    if (got == 0) break;
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      status = fail(Code::kNotFound, format("cannot read '{}': {}", path, std::generic_category().message(errno)), "file");
    } else if (text.append(buffer.data(), static_cast<std::size_t>(got)); text.size() > max_bytes) {
      status = fail(Code::kResourceLimit, format("'{}' is larger than {} bytes", path, max_bytes), "file");
    }
  }
  if (!standard_input) ::close(fd);
  LADDER_CHECK(status);
  return text;
}

Result<std::unique_ptr<InputFile>> InputFile::open(const std::string& path, const app::StopSignal& stop) {
  const bool standard_input = path == kStandardInput;
  LADDER_TRY(const int fd, standard_input ? Result<int>(STDIN_FILENO) : open_for_reading(path));
  std::unique_ptr<InputFile> file(new InputFile(fd, standard_input ? "standard input" : path, stop));
  struct stat facts{};
  if (::fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode)) file->size_ = facts.st_size;
  return file;
}

InputFile::~InputFile() {
  if (fd_ != STDIN_FILENO) ::close(fd_);
}

bool InputFile::is_terminal() const { return ::isatty(fd_) == 1; }

Result<std::size_t> InputFile::read(char* buffer, std::size_t capacity) {
  for (;;) {
    std::array<pollfd, 2> waiting = {pollfd{fd_, POLLIN, 0}, pollfd{stop_.descriptor(), POLLIN, 0}};
    if (::poll(waiting.data(), waiting.size(), -1) < 0 && errno != EINTR) {
      return fail(Code::kIngestStorage, format("cannot read {}: {}", name_, std::generic_category().message(errno)));
    }
    if (stop_.requested()) return fail(Code::kCancelled, "stopped by a signal");
    if (waiting[0].revents == 0) continue;
    const ssize_t got = ::read(fd_, buffer, capacity);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return fail(Code::kIngestStorage, format("cannot read {}: {}", name_, std::generic_category().message(errno)));
    bytes_read_.fetch_add(got, std::memory_order_relaxed);
    return static_cast<std::size_t>(got);
  }
}

}  // namespace ladder::cli
