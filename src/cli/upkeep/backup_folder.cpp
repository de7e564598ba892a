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
#include <charconv>
#include <set>
#include <system_error>
#include <thread>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHeader = "ladder-backup", kFirstLine = "ladder-backup 1\n", kPlain = "plain\n",
                           kKeyCheck = "key-check";
constexpr unsigned kMaxWriters = 4;  // more than a disk takes
constexpr std::size_t kMaxChunkFile = 32 * limits::kMiB, kMaxSnapshotFile = 1024 * limits::kMiB;

std::unexpected<Error> file_fault(const fs::path& path, std::string_view doing) {
  return fail(Code::kStoreUnavailable, format("{} {}: {}", doing, path.native(), std::generic_category().message(errno)));
}

std::unexpected<Error> no_backup(const fs::path& path) {
  return fail(Code::kNotFound, format("{} is no folder of `ladder backup`", path.native()));
}

// A chunk that a snapshot names is not written again while its file is there, so a damaged one has to go first.
std::unexpected<Error> damaged(std::string_view what, const fs::path& file) {
  return fail(Code::kDamagedData,
              format("{} is damaged: remove {} and make a new backup, which writes what the store still has; `ladder backup "
                     "verify` says which snapshots are whole",
                     what, file.native()));
}

// Takes "word rest\n" from the front of `text`; false when the next line has another word.
bool take_line(std::string_view& text, std::string_view word, std::string_view& rest) {
  const std::size_t end = text.find('\n');
  if (end == std::string_view::npos || !text.starts_with(word) || word.size() >= end || text[word.size()] != ' ') return false;
  rest = text.substr(word.size() + 1, end - word.size() - 1);
  text.remove_prefix(end + 1);
  return true;
}

bool take_number(std::string_view digits, std::int64_t& number) {
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return error == std::errc() && end == digits.data() + digits.size() && number >= 0;
}

bool is_chunk_name(std::string_view name) { return name.size() == 64 && from_hex(name).has_value(); }

std::string sum_of(std::string_view text) { return to_hex(crypto::view(crypto::sha256(text))); }

std::string written(const Snapshot& snapshot) {
  std::string text = format("ladder {}\nengine {}\nschema {}\nmade-at {}\n", snapshot.ladder, snapshot.facts.engine,
                            snapshot.facts.schema, snapshot.made_at);
  for (const auto& [part, chunks] : snapshot.parts) {
    text += format("part {}\n", part);
    for (const ChunkName& chunk : chunks) text += format("chunk {} {}\n", chunk.name, chunk.bytes);
  }
  return text + format("sum {}\n", sum_of(text));
}

std::optional<Snapshot> parsed(std::string_view text) {
  Snapshot snapshot;
  const std::string_view whole = text;
  std::string_view rest;
  if (!take_line(text, "ladder", rest)) return std::nullopt;
  snapshot.ladder = rest;
  if (!take_line(text, "engine", rest)) return std::nullopt;
  snapshot.facts.engine = rest;
  if (!take_line(text, "schema", rest) || !take_number(rest, snapshot.facts.schema)) return std::nullopt;
  if (!take_line(text, "made-at", rest) || !take_number(rest, snapshot.made_at)) return std::nullopt;
  while (take_line(text, "part", rest)) {
    auto& [part, chunks] = snapshot.parts.emplace_back();
    part = rest;
    while (take_line(text, "chunk", rest)) {
      const std::size_t space = std::min(rest.find(' '), rest.size());
      ChunkName chunk{std::string(rest.substr(0, space)), 0};
      if (space == rest.size() || !is_chunk_name(chunk.name) || !take_number(rest.substr(space + 1), chunk.bytes))
        return std::nullopt;
      chunks.push_back(std::move(chunk));
    }
  }
  const std::string_view summed = whole.substr(0, whole.size() - text.size());
  if (!take_line(text, "sum", rest) || rest != sum_of(summed) || !text.empty()) return std::nullopt;
  return snapshot;
}

// 20261116T233000.000000Z: sorts by time and is a file name everywhere.
std::string snapshot_name(Instant made_at) {
  const std::string time = format_time(made_at);  // 2026-11-16T23:30:00.000Z
  return format("{}{}{}T{}{}{}.{:06}Z", time.substr(0, 4), time.substr(5, 2), time.substr(8, 2), time.substr(11, 2),
                time.substr(14, 2), time.substr(17, 2), made_at % kSecond);
}

}  // namespace

std::int64_t Snapshot::bytes() const {
  std::int64_t sum = 0;
  for (const auto& [part, chunks] : parts) {
    for (const ChunkName& chunk : chunks) sum += chunk.bytes;
  }
  return sum;
}

void Snapshot::add(std::string_view part, ChunkName chunk) {
  if (parts.empty() || parts.back().first != part) parts.emplace_back(part, std::vector<ChunkName>());
  parts.back().second.push_back(std::move(chunk));
}

void Snapshot::name_chunks(std::span<const ChunkName> names) {
  auto name = names.begin();
  for (auto& [part, chunks] : parts) {
    for (ChunkName& chunk : chunks) chunk = *name++;
  }
}

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
  const fs::path draft = path.native() + ".partial";
  const int file = ::open(draft.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
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
    return fail(Code::kInvalidRequest, format("{} is not encrypted: leave out --key, or choose another folder", path_.native()),
                "key");
  }
  std::string_view sealed;
  if (!take_line(kind, "encrypted", sealed) || !kind.empty()) return no_backup(path_);
  if (!cipher_)
    return fail(Code::kInvalidRequest, format("{} is encrypted: give its key with --key FILE", path_.native()), "key");
  if (cipher_->open(kKeyCheck, from_hex(sealed).value_or(""))) return {};
  return fail(Code::kInvalidRequest,
              format("{} is encrypted with another key, or its file {} was changed", path_.native(), kHeader), "key");
}

Status BackupFolder::write_header() const {
  const std::string kind = cipher_ ? format("encrypted {}\n", to_hex(cipher_->seal(kKeyCheck, ""))) : std::string(kPlain);
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
      if (entry.path().filename() != std::string(kHeader) + ".partial")
        return fail(Code::kConflict, format("{} holds other files: choose a new or empty folder", path));
    }
    LADDER_CHECK(folder->write_header());
    // Without it on disk a power cut would leave a folder that is neither empty nor a backup.
    if (::syncfs(folder->lock_) != 0) return file_fault(path, "cannot write to the disk of");
  }
  LADDER_CHECK(folder->check_header());
  for (const char* below : {"chunks", "snapshots"}) {
    fs::create_directories(folder->path_ / below, error);
    if (error) return fail(Code::kStoreUnavailable, format("cannot make the folder {}/{}: {}", path, below, error.message()));
  }
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
    if (!entry.is_regular_file(error) || !unused(entry.path().filename().native())) continue;
    if (fs::remove(entry.path(), error)) ++removed;
  }
  return removed;
}

std::string BackupFolder::name_of(std::string_view bytes) const { return cipher_ ? cipher_->name_of(bytes) : sum_of(bytes); }

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
    if (folders_.insert(chunk.name.substr(0, 2)).second) ::mkdir(path.parent_path().c_str(), S_IRWXU);  // or it is there
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
  std::string name = snapshot_name(snapshot.made_at);
  const std::string text = written(snapshot);
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
    if (name.ends_with('Z')) names.push_back(name);
  }
  if (error && error != std::errc::no_such_file_or_directory)
    return fail(Code::kStoreUnavailable, format("cannot read {}: {}", (path_ / "snapshots").native(), error.message()));
  std::ranges::sort(names);
  return names;
}

Result<Snapshot> BackupFolder::snapshot(const std::string& name) const {
  if (name.find('/') != std::string::npos) return fail(Code::kNotFound, format("there is no snapshot '{}'", name), "at");
  auto text = read_whole_file(path_ / "snapshots" / name, kMaxSnapshotFile);
  if (!text) return fail(Code::kNotFound, format("there is no snapshot '{}' in {}", name, path_.native()), "at");
  if (cipher_) {
    auto opened = cipher_->open(name, *text);
    if (!opened) return damaged(format("the snapshot {}", name), path_ / "snapshots" / name);
    text = std::move(*opened);
  }
  auto found = parsed(*text);
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
