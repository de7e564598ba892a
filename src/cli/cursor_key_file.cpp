#include "cli/cursor_key_file.h"

#include "base/bytes.h"
#include "crypto/random.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

constexpr std::uint8_t kKeyId = 1;
constexpr std::size_t kTextBytes = 2 * crypto::kSealKeyBytes;

crypto::Sealer sealer_of(const std::string& secret) { return crypto::Sealer({{kKeyId, secret}}); }

}  // namespace

const crypto::Sealer& CursorKeyFile::sealer() {
  const MutexLock lock(mutex_);
  if (!sealer_) {
    auto secret = read();
    if (!secret) secret = make();
    sealer_.emplace(sealer_of(secret.value_or(crypto::random_bytes(crypto::kSealKeyBytes))));
  }
  return *sealer_;
}

const crypto::Sealer* CursorKeyFile::if_there() {
  const MutexLock lock(mutex_);
  if (!sealer_) {
    if (const auto secret = read()) sealer_.emplace(sealer_of(*secret));
  }
  return sealer_ ? &*sealer_ : nullptr;
}

std::string CursorKeyFile::fence_key() const {
  const auto secret = read();
  return secret ? sealer_of(*secret).keyed_hash("fence", "") : crypto::random_bytes(crypto::kSealKeyBytes);
}

std::optional<std::string> CursorKeyFile::read() const {
  const int file = ::open(path().c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
  if (file < 0) return std::nullopt;
  struct stat facts{};
  std::string text(kTextBytes, '\0');
  const bool is_ours = ::fstat(file, &facts) == 0 && (facts.st_mode & (S_IRWXG | S_IRWXO)) == 0;
  // Read once, under the lock that keeps it from being made twice.
  // NOLINTNEXTLINE(clang-analyzer-unix.BlockInCriticalSection)
  const bool is_whole = is_ours && ::read(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  ::close(file);
  return is_whole ? from_hex(text) : std::nullopt;
}

// Written whole under another name first; whoever comes second takes the first one's.
std::optional<std::string> CursorKeyFile::make() const {
  std::error_code error;
  if (!std::filesystem::is_directory(cache_root_, error)) {
    if (!may_make_ || !std::filesystem::create_directories(cache_root_, error)) return std::nullopt;
    std::filesystem::permissions(cache_root_, std::filesystem::perms::owner_all, error);
  }
  const std::string draft = path() + "." + crypto::random_hex(8);
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return std::nullopt;
  const std::string text = to_hex(crypto::random_bytes(crypto::kSealKeyBytes)) + "\n";
  const bool written = ::write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size()) && ::fsync(file) == 0;
  ::close(file);
  if (written) static_cast<void>(!::link(draft.c_str(), path().c_str()));
  ::unlink(draft.c_str());
  return read();
}

}  // namespace ladder::cli
