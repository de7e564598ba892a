#include "app/backup/backup_key.h"

#include "app/backup/held_folder.h"
#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "crypto/chunk_cipher.h"
#include "crypto/random.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

namespace ladder::app {

Result<std::string> read_backup_key(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about{};
  if (!file.is_open() || ::fstat(file.get(), &about) != 0 || !S_ISREG(about.st_mode))
    return fail(Code::kNotFound, format("cannot read the key file {}: {}", path, std::generic_category().message(errno)), "key");
  if ((about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(Code::kInvalidRequest, format("other users can read the key in {}: run chmod 600 on it", path), "key");
  const std::int64_t bytes = std::min<std::int64_t>(about.st_size, limits::kMiB);
  LADDER_TRY(std::string text, read_range(file, path, 0, bytes));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  auto key = from_hex(text);
  if (key && key->size() == crypto::kChunkKeyBytes) return *std::move(key);
  return fail(Code::kInvalidRequest, format("{} contains no key of 64 hex digits: `ladder backup key FILE` creates one", path),
              "key");
}

Status make_backup_key(const std::string& path) {
  const FileDescriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (!file.is_open() && errno == EEXIST) return fail(Code::kConflict, format("{} already exists: choose another name", path));
  if (!file.is_open()) return file_fault(path, "cannot make");
  Status done = write_all(file, path, to_hex(crypto::random_bytes(crypto::kChunkKeyBytes)) + "\n");
  if (done) done = sync_file(file, path);
  if (!done) ::unlink(path.c_str());  // a partial key is useless and would block the name
  return done;
}

}  // namespace ladder::app
