#include "cli/upkeep/backup_folder.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "cli/flags/input_file.h"
#include "crypto/hash.h"
#include "crypto/random.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <set>
#include <system_error>
#include <thread>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "ladder-backup", kFirstLine = "ladder-backup 1\n", kPlain = "plain\n",
                           kEncrypted = "encrypted ", kKeyCheck = "key-check", kDraft = ".partial";
constexpr unsigned kMaxWriters = 4;  // more than a disk takes
constexpr std::size_t kMaxChunkFile = 32 * limits::kMiB, kMaxSnapshotFile = 1024 * limits::kMiB;

std::unexpected<Error> file_fault(const fs::path& path, std::string_view doing) {
  return fail(Code::kStoreUnavailable, format("{} {}: {}", doing, path.native(), std::generic_category().message(errno)));
}

std::unexpected<Error> no_backup(const fs::path& path) {
  return fail(Code::kNotFound, format("{} is no folder of `ladder backup`", path.native()));
}

// A link in its place would lead what is written, and what is removed as unused, to files of somebody else.
Status make_own_folder(const fs::path& path) {
  std::error_code error;
  fs::create_directory(path, error);
  if (error) return fail(Code::kStoreUnavailable, format("cannot make the folder {}: {}", path.native(), error.message()));
  if (fs::symlink_status(path, error).type() == fs::file_type::directory) return {};
  return fail(Code::kConflict,
              format("{} is a link to another folder: remove the link, or choose another target", path.native()));
}

// A file that a backup may remove when no snapshot names it: a chunk, or the draft of one.
bool is_chunk_file(std::string_view name) {
  if (name.ends_with(kDraft)) name.remove_suffix(kDraft.size());
  return is_chunk_name(name);
}

// A chunk that a snapshot names is not written again while its file is there, so a damaged one has to go first.
std::unexpected<Error> damaged(std::string_view what, const fs::path& file) {
  return fail(Code::kDamagedData,
              format("{} is damaged: remove {} and make a new backup, which writes what the store still has; `ladder backup "
                     "verify` says which snapshots are whole",
                     what, file.native()));
}

}  // namespace

BackupFolder::BackupFolder(fs::path path, const std::string& key)
    : path_(std::move(path)), workers_(std::clamp(std::thread::hardware_concurrency(), 1U, kMaxWriters)) {
  if (!key.empty()) cipher_.emplace(key);
}

BackupFolder::~BackupFolder() {
  if (lock_ < 0) return;
  if (!finished_) abandon();
  ::close(lock_);
}

// Chunks of a snapshot that is not to be go again: they may be what fills the disk. A file that was there before stays, since a
// snapshot that cannot be read now may name it.
void BackupFolder::abandon() {
  (void)workers_.finish();
  const MutexLock lock(mutex_);
  for (const Written& one : written_) {
    if (one.is_new) ::unlink(chunk_path(one.chunk.name).c_str());
  }
}

Status BackupFolder::write_file(const fs::path& path, std::string_view bytes) const {
  const fs::path draft = path.native() + std::string(kDraft);
  ::unlink(draft.c_str());  // of a backup that was killed
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return file_fault(draft, "cannot make");
  for (std::string_view left = bytes; !left.empty();) {
    const ssize_t count = ::write(file, left.data(), left.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) {
      const int error_number = errno;
      ::close(file);
      ::unlink(draft.c_str());
      errno = error_number;
      return file_fault(path, "cannot write");
    }
    left.remove_prefix(static_cast<std::size_t>(count));
  }
  // Begins the way to the disk, so that there is little left to wait for at the end.
  ::sync_file_range(file, 0, 0, SYNC_FILE_RANGE_WRITE);
  ::close(file);
  if (::rename(draft.c_str(), path.c_str()) == 0) return {};
  const int error_number = errno;
  ::unlink(draft.c_str());
  errno = error_number;
  return file_fault(path, "cannot write");
}

Status BackupFolder::check_header() const {
  auto header = read_whole_file(path_ / kHeader, limits::kMiB);
  if (!header || !header->starts_with(kFirstLine)) return no_backup(path_);
  std::string_view kind = std::string_view(*header).substr(kFirstLine.size());
  if (kind == kPlain) {
    if (!cipher_) return {};
    return fail(
        Code::kInvalidRequest,
        format("{} is not encrypted: if it was made with a key, somebody has replaced it; if not, leave out --key or choose "
               "another folder",
               path_.native()),
        "key");
  }
  if (!kind.starts_with(kEncrypted) || !kind.ends_with('\n')) return no_backup(path_);
  const std::string_view sealed = kind.substr(kEncrypted.size(), kind.size() - kEncrypted.size() - 1);
  if (!cipher_)
    return fail(Code::kInvalidRequest, format("{} is encrypted: give its key with --key FILE", path_.native()), "key");
  if (cipher_->open(kKeyCheck, from_hex(sealed).value_or(""))) return {};
  return fail(Code::kInvalidRequest,
              format("{} is encrypted with another key, or its file {} was changed", path_.native(), kHeader), "key");
}

Status BackupFolder::write_header() const {
  const std::string kind = cipher_ ? format("{}{}\n", kEncrypted, to_hex(cipher_->seal(kKeyCheck, ""))) : std::string(kPlain);
  return write_file(path_ / kHeader, std::string(kFirstLine) + kind);
}

Result<std::unique_ptr<BackupFolder>> BackupFolder::open_to_read(const std::string& path, const std::string& key) {
  std::unique_ptr<BackupFolder> folder(new BackupFolder(path, key));
  LADDER_CHECK(folder->check_header());
  return folder;
}

Result<std::unique_ptr<BackupFolder>> BackupFolder::open_to_write(const std::string& path, const std::string& key) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(Code::kStoreUnavailable, format("cannot make the folder {}: {}", path, error.message()));
  std::unique_ptr<BackupFolder> folder(new BackupFolder(path, key));
  folder->lock_ = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder->lock_ < 0) return file_fault(path, "cannot open");
  if (::flock(folder->lock_, LOCK_EX | LOCK_NB) != 0)
    return fail(Code::kConflict, format("another backup is writing to {}: wait until it has ended", path));
  if (!fs::exists(folder->path_ / kHeader, error)) {
    // A first backup that was killed before its header got its name leaves at most the draft of it.
    for (const fs::directory_entry& entry : fs::directory_iterator(path, error)) {
      if (entry.path().filename() != std::string(kHeader) + std::string(kDraft))
        return fail(Code::kConflict, format("{} holds other files: choose a new or empty folder", path));
    }
    LADDER_CHECK(folder->write_header());
    // Without it on disk a power cut would leave a folder that is neither empty nor a backup.
    if (::syncfs(folder->lock_) != 0) return file_fault(path, "cannot write to the disk of");
  }
  LADDER_CHECK(folder->check_header());
  for (const char* below : {"chunks", "snapshots"}) LADDER_CHECK(make_own_folder(folder->path_ / below));
  LADDER_CHECK(folder->load_known());
  return folder;
}

// A snapshot that cannot be read makes its chunks unknown: they are written again. Chunks that nobody names are of a backup that
// was killed; they go, unless an unreadable snapshot may be the one that names them.
Status BackupFolder::load_known() {
  LADDER_TRY(const auto names, snapshots());
  bool all_read = true;
  for (const std::string& name : names) {
    const auto found = snapshot(name);
    all_read = all_read && found.has_value();
    if (!found) continue;
    newest_ = std::max(newest_, time_of_snapshot_name(name).value_or(0));
    for (const auto& [part, chunks] : found->parts) {
      for (const ChunkName& chunk : chunks) known_.emplace(chunk.name, chunk.bytes);
    }
  }
  if (all_read) remove_chunks([this](const std::string& name) { return !known_.contains(name); });
  return {};
}

std::int64_t BackupFolder::remove_chunks(const std::function<bool(const std::string& name)>& unused) const {
  std::int64_t removed = 0;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(path_ / "chunks", error)) {
    const std::string name = entry.path().filename();
    if (entry.symlink_status(error).type() != fs::file_type::regular || !is_chunk_file(name) || !unused(name)) continue;
    if (fs::remove(entry.path(), error)) ++removed;
  }
  return removed;
}

std::string BackupFolder::name_of(std::string_view bytes) const { return cipher_ ? cipher_->name_of(bytes) : sha256_hex(bytes); }

bool BackupFolder::has(const ChunkName& chunk) const {
  if (!known_.contains(chunk.name)) return false;
  const auto stored = static_cast<std::uintmax_t>(chunk.bytes) + (cipher_ ? crypto::kChunkOverheadBytes : 0);
  std::error_code error;
  return fs::file_size(chunk_path(chunk.name), error) == stored && !error;
}

Result<ChunkName> BackupFolder::write_chunk(std::string_view bytes) {
  ChunkName chunk{name_of(bytes), std::ssize(bytes)};
  if (has(chunk)) return chunk;
  const fs::path path = chunk_path(chunk.name);
  {
    const MutexLock lock(mutex_);
    if (!claimed_.insert(chunk.name).second) return chunk;
    if (folders_.insert(chunk.name.substr(0, 2)).second) LADDER_CHECK(make_own_folder(path.parent_path()));
  }
  const std::string sealed = cipher_ ? cipher_->seal(chunk.name, bytes) : std::string();
  const std::string_view stored = cipher_ ? std::string_view(sealed) : bytes;
  const bool is_new = ::access(path.c_str(), F_OK) != 0;
  LADDER_CHECK(write_file(path, stored));
  const MutexLock lock(mutex_);
  written_.push_back({chunk, Checksum().add(stored).value(), is_new});
  return chunk;
}

Status BackupFolder::keep(std::string_view bytes) {
  ChunkName& place = kept_.emplace_back();
  return workers_.add([this, &place, copy = std::string(bytes)]() -> Status {
    LADDER_TRY(place, write_chunk(copy));
    return {};
  });
}

Result<std::vector<ChunkName>> BackupFolder::kept() {
  LADDER_CHECK(workers_.finish());
  return std::vector<ChunkName>(kept_.begin(), kept_.end());
}

// The bytes are compared with those that were written, whose name was made from their content.
Status BackupFolder::read_back(const ChunkName& chunk, std::uint64_t sum) const {
  const auto bytes = read_whole_file(chunk_path(chunk.name), kMaxChunkFile);
  if (bytes && Checksum().add(*bytes).value() == sum) return {};
  return damaged("what was just written", chunk_path(chunk.name));
}

Result<std::string> BackupFolder::finish(const Snapshot& snapshot) {
  LADDER_CHECK(workers_.finish());
  if (::syncfs(lock_) != 0) return file_fault(path_, "cannot write to the disk of");
  std::vector<Written> all;
  {
    const MutexLock lock(mutex_);
    all = written_;
  }
  for (const Written& one : all) {
    bytes_written_ += one.chunk.bytes;
    LADDER_CHECK(workers_.add([this, &one] { return read_back(one.chunk, one.sum); }));
  }
  LADDER_CHECK(workers_.finish());
  std::string name = snapshot_name(std::max(snapshot.made_at, newest_ + 1));
  const std::string text = snapshot_text(snapshot);
  LADDER_CHECK(write_file(path_ / "snapshots" / name, cipher_ ? cipher_->seal(name, text) : text));
  if (::syncfs(lock_) != 0) {
    const auto fault = file_fault(path_, "cannot write to the disk of");
    ::unlink((path_ / "snapshots" / name).c_str());  // before its chunks go
    return fault;
  }
  finished_ = true;
  return name;
}

Result<std::vector<std::string>> BackupFolder::snapshots() const {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(path_ / "snapshots", error)) {
    const std::string name = entry.path().filename();
    if (time_of_snapshot_name(name)) names.push_back(name);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return fail(Code::kStoreUnavailable, format("cannot read {}: {}", (path_ / "snapshots").native(), error.message()));
  std::ranges::sort(names);
  return names;
}

Result<Snapshot> BackupFolder::snapshot(const std::string& name) const {
  if (name.find('/') != std::string::npos) return fail(Code::kNotFound, format("there is no snapshot '{}'", name), "at");
  auto text = read_whole_file(path_ / "snapshots" / name, kMaxSnapshotFile);
  if (!text)
    return fail(Code::kNotFound,
                format("there is no snapshot '{}' in {}: `ladder backup list` shows those there are", name, path_.native()),
                "at");
  if (cipher_) {
    auto opened = cipher_->open(name, *text);
    if (!opened) return damaged(format("the snapshot {}", name), path_ / "snapshots" / name);
    text = std::move(*opened);
  }
  auto found = parse_snapshot(*text);
  if (!found) return damaged(format("the snapshot {}", name), path_ / "snapshots" / name);
  return *std::move(found);
}

Result<std::string> BackupFolder::chunk(const ChunkName& chunk) const {
  const fs::path file = chunk_path(chunk.name);
  auto bytes = read_whole_file(file, kMaxChunkFile);
  if (!bytes) return fail(Code::kDamagedData, format("a chunk of the backup is missing: {}", bytes.error().message));
  if (cipher_) {
    auto opened = cipher_->open(chunk.name, *bytes);
    if (!opened) return damaged("a chunk of the backup", file);
    bytes = std::move(*opened);
  }
  if (std::ssize(*bytes) != chunk.bytes || name_of(*bytes) != chunk.name) return damaged("a chunk of the backup", file);
  return *std::move(bytes);
}

Result<std::int64_t> BackupFolder::prune(std::size_t count) {
  LADDER_TRY(const auto names, snapshots());
  std::set<std::string, std::less<>> used;
  const std::size_t dropped = names.size() > count ? names.size() - count : 0;
  // All that stay are read before anything goes: an unreadable one would make its chunks look unused.
  for (std::size_t at = dropped; at < names.size(); ++at) {
    LADDER_TRY(const Snapshot kept, snapshot(names[at]));
    for (const auto& [part, chunks] : kept.parts) {
      for (const ChunkName& chunk : chunks) used.insert(chunk.name);
    }
  }
  std::error_code error;
  for (std::size_t at = 0; at < dropped; ++at) fs::remove(path_ / "snapshots" / names[at], error);
  ::syncfs(lock_);
  return remove_chunks([&](const std::string& name) { return !used.contains(name); });
}

Result<std::string> read_backup_key(const std::string& path) {
  struct stat about{};
  if (::stat(path.c_str(), &about) == 0 && (about.st_mode & (S_IRWXG | S_IRWXO)) != 0)
    return fail(Code::kInvalidRequest, format("other users may read the key in {}: chmod 600 it", path), "key");
  LADDER_TRY(std::string text, read_whole_file(path, limits::kMiB));
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) text.pop_back();
  auto key = from_hex(text);
  if (key && key->size() == crypto::kChunkKeyBytes) return *std::move(key);
  return fail(Code::kInvalidRequest, format("{} holds no key: `ladder backup key FILE` makes one of 64 hex digits", path), "key");
}

Status make_backup_key(const std::string& path) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0 && errno == EEXIST) return fail(Code::kConflict, format("{} is there already: choose another name", path));
  if (file < 0) return file_fault(path, "cannot make");
  const std::string text = to_hex(crypto::random_bytes(crypto::kChunkKeyBytes)) + "\n";
  const bool done = ::write(file, text.data(), text.size()) == std::ssize(text) && ::fsync(file) == 0;
  const int error_number = errno;
  ::close(file);
  if (done) return {};
  ::unlink(path.c_str());  // half a key is none, and its name would be taken
  errno = error_number;
  return file_fault(path, "cannot write");
}

}  // namespace ladder::cli
