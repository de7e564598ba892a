#include "sync/staging.h"

#include "base/text/format.h"
#include "base/text/utf8.h"
#include "sync/folder_state.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace ladder::sync {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxFolderBytes = 240;  // file systems allow 255

std::unexpected<Error> cannot(const fs::path& path, int error) {
  return fail(Code::kStoreUnavailable,
              format("fetched mail cannot be written to '{}': {}", path.string(), std::generic_category().message(error)));
}

std::string folder_name(std::string_view name) {
  std::string out;
  for (const char c : name) {
    const bool plain = static_cast<unsigned char>(c) >= 0x20 && c != '/' && c != '%' && c != '\x7F' && !(c == '.' && out.empty());
    if (plain) out += c;
    else out += format("%{:02X}", static_cast<unsigned char>(c));
  }
  if (out.size() > kMaxFolderBytes) out.resize(kMaxFolderBytes);
  while (!utf8::is_valid(out)) out.pop_back();
  return out.empty() ? "INBOX" : out;
}

Status write_file(const fs::path& path, std::initializer_list<std::string_view> pieces) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
  if (file < 0) return cannot(path, errno);
  for (std::string_view piece : pieces) {
    while (!piece.empty()) {
      const ssize_t count = ::write(file, piece.data(), piece.size());
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) {
        const int reason = errno;
        ::close(file);
        return cannot(path, reason);
      }
      piece.remove_prefix(static_cast<std::size_t>(count));
    }
  }
  if (::close(file) != 0) return cannot(path, errno);
  return {};
}

// The headers that Gmail's own export has, so that labels and threads are the same as in an import of it.
std::string gmail_headers(const imap::Fetched& message) {
  if (!message.labels) return {};
  std::string labels;
  for (const std::string& label : *message.labels) {
    std::string_view name = label;
    if (name.starts_with('\\')) name.remove_prefix(1);
    if (name.find_first_of("\r\n\"") != std::string_view::npos) continue;
    labels += format("{}\"{}\"", labels.empty() ? "" : ", ", name);
  }
  const bool has_thread = imap::parse_number(message.thread).has_value();
  return format("{}X-Gmail-Labels: {}\r\n", has_thread ? format("X-GM-THRID: {}\r\n", message.thread) : "", labels);
}

}  // namespace

Result<Staging> Staging::open(const fs::path& root) {
  Staging staging(root);
  LADDER_CHECK(staging.clear());
  return staging;
}

Staging::~Staging() {
  std::error_code ignored;
  if (!root_.empty()) fs::remove_all(root_, ignored);
}

Status Staging::clear() {
  std::error_code error;
  fs::remove_all(root_, error);
  if (error) return cannot(root_, error.value());
  messages_ = bytes_ = 0;
  return {};
}

Status Staging::begin(std::string_view folder) {
  LADDER_CHECK(clear());
  folder_ = root_ / folder_name(folder) / "cur";
  std::error_code error;
  fs::create_directories(folder_, error);
  if (error) return cannot(folder_, error.value());
  fs::permissions(root_, fs::perms::owner_all, error);
  return {};
}

Status Staging::add_file(std::string_view name, std::string_view content) {
  LADDER_CHECK(write_file(folder_ / name, {content}));
  ++messages_;
  bytes_ += content.size();
  return {};
}

Status Staging::add(const imap::Fetched& message) {
  const std::string name = format("{}:2,{}", message.uid, message.flags ? maildir_flags(*message.flags) : "");
  LADDER_CHECK(write_file(folder_ / name, {gmail_headers(message), *message.body}));
  ++messages_;
  bytes_ += message.body->size();
  return {};
}

}  // namespace ladder::sync
