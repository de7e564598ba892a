#include "app/backup/backup_writer.h"

#include "base/text/format.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <thread>
#include <utility>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;

constexpr unsigned kMaxWriters = 4;  // enough to saturate a disk

std::int64_t size_or_nothing(const HeldFolder& folder, const std::string& name) {
  const auto file = folder.open(name);
  if (!file) return -1;
  return size_of(*file, folder.path(name)).value_or(-1);
}

// Matches files in chunks/ that a backup created: a chunk, or the draft of one.
bool is_chunk_file(std::string_view name) {
  if (name.ends_with(kDraftSuffix)) name.remove_suffix(kDraftSuffix.size());
  return is_chunk_name(name);
}

// Removes a file and returns its size.
std::int64_t remove_file(const HeldFolder& folder, const std::string& name) {
  const std::int64_t bytes = std::max<std::int64_t>(size_or_nothing(folder, name), 0);
  folder.remove(name);
  return bytes;
}

}  // namespace

BackupWriter::BackupWriter(std::unique_ptr<BackupFolder> folder, HeldFolder packs, HeldFolder snapshots, FileDescriptor lock)
    : folder_(std::move(folder)),
      packs_folder_(std::move(packs)),
      snapshots_folder_(std::move(snapshots)),
      lock_(std::move(lock)),
      packs_(packs_folder_),
      workers_(std::clamp(std::thread::hardware_concurrency(), 1U, kMaxWriters)) {}

BackupWriter::~BackupWriter() {
  if (finished_) return;
  (void)workers_.finish();
  packs_.remove_all();
}

Result<std::unique_ptr<BackupWriter>> BackupWriter::open(const std::string& path, const std::string& key, Extent extent) {
  std::error_code error;
  fs::create_directories(path, error);
  if (error) return fail(Code::kStoreUnavailable, format("cannot create the folder {}: {}", path, error.message()));
  FileDescriptor lock(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!lock.is_open()) return file_fault(path, "cannot open");
  if (::flock(lock.get(), LOCK_EX | LOCK_NB) != 0)
    return fail(Code::kConflict, format("another backup is writing to {}: wait until it is done", path));
  LADDER_TRY(auto folder, BackupFolder::open_to_write(path, key));
  LADDER_TRY(HeldFolder packs, folder->root().make_below(kPacksFolder));
  LADDER_TRY(HeldFolder snapshots, folder->root().make_below(kSnapshotsFolder));
  LADDER_CHECK(folder->root().sync());
  std::unique_ptr<BackupWriter> writer(
      new BackupWriter(std::move(folder), std::move(packs), std::move(snapshots), std::move(lock)));
  LADDER_CHECK(writer->load(extent));
  return writer;
}

bool BackupWriter::is_writing(const std::string& path) {
  const FileDescriptor folder(::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return folder.is_open() && ::flock(folder.get(), LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
}

void BackupWriter::count_in(const Snapshot& snapshot, Inventory& inventory) const {
  for (const auto& [pack, bytes] : snapshot.packs) inventory.packs[pack] = bytes;
  snapshot.each_chunk([&](const Chunk& chunk) {
    inventory.chunks.insert_or_assign(chunk.name, chunk);
    if (chunk.place.pack == kNoPack) inventory.loose.insert(chunk.name);
    else if (inventory.places.emplace(chunk.place.pack, chunk.place.offset).second)
      inventory.used[chunk.place.pack] += folder_->stored_bytes(chunk);
  });
}

bool BackupWriter::is_usable(const Chunk& chunk, const Inventory& inventory) const {
  if (chunk.place.pack == kNoPack) {
    const auto chunks = folder_->root().below(kChunksFolder);
    if (!chunks) return false;
    const auto folder = chunks->below(folder_of_chunk(chunk.name));
    return folder && size_or_nothing(*folder, chunk.name) == folder_->stored_bytes(chunk);
  }
  const std::int64_t size = inventory.packs.at(chunk.place.pack);
  return known_packs_.contains(chunk.place.pack) && chunk.place.offset + folder_->stored_bytes(chunk) <= size;
}

// The chunks of an unreadable snapshot are unknown and are written again. Files that no snapshot names come from an interrupted
// backup and are removed, unless an unreadable snapshot might name them.
Status BackupWriter::load(Extent extent) {
  LADDER_TRY(const auto names, folder_->snapshots());
  Inventory inventory;
  bool all_read = true;
  for (const std::string& name : names) {
    newest_ = std::max(newest_, time_of_snapshot_name(name).value_or(0));
    const auto snapshot = folder_->snapshot(name);
    all_read = all_read && snapshot.has_value();
    if (snapshot) count_in(*snapshot, inventory);
  }
  if (all_read) remove_all_but(inventory);
  if (extent == Extent::kEverything) return {};
  for (const auto& [pack, bytes] : inventory.packs) {
    const bool is_whole = size_or_nothing(packs_folder_, pack_name(pack)) == bytes;
    if (is_whole && inventory.used[pack] * 2 >= bytes) known_packs_.emplace(pack, bytes);
  }
  for (const auto& [name, chunk] : inventory.chunks) {
    if (is_usable(chunk, inventory)) known_.emplace(name, chunk);
  }
  return {};
}

std::int64_t BackupWriter::remove_all_but(const Inventory& inventory) const {
  std::int64_t bytes = 0;
  for (const std::string& name : packs_folder_.names()) {
    const auto pack = parse_pack_name(name);
    if (pack && !inventory.packs.contains(*pack)) bytes += remove_file(packs_folder_, name);
  }
  const auto chunks = folder_->root().below(kChunksFolder);
  if (!chunks) return bytes;
  for (const std::string& two_digits : chunks->names()) {
    const auto folder = chunks->below(two_digits);
    if (!folder) continue;
    for (const std::string& name : folder->names()) {
      if (!is_chunk_file(name) || inventory.loose.contains(name)) continue;
      bytes += remove_file(*folder, name);
    }
    chunks->remove_empty_folder(two_digits);
  }
  return bytes;
}

Status BackupWriter::write_chunk(Chunk& chunk, std::string_view bytes) {
  chunk.name = folder_->name_of(bytes);
  chunk.bytes = std::ssize(bytes);
  if (const auto known = known_.find(chunk.name); known != known_.end() && known->second.bytes == chunk.bytes) {
    chunk.place = known->second.place;
    return {};
  }
  {
    const MutexLock lock(mutex_);
    if (!placed_.emplace(chunk.name, PackOffset()).second) return {};
  }
  const std::string sealed = folder_->is_encrypted() ? folder_->seal(chunk.name, bytes) : std::string();
  LADDER_TRY(const PackOffset place, packs_.append(folder_->is_encrypted() ? std::string_view(sealed) : bytes));
  const MutexLock lock(mutex_);
  placed_[chunk.name] = place;
  return {};
}

Status BackupWriter::keep(std::string_view bytes) {
  Chunk& chunk = kept_.emplace_back();
  return workers_.add([this, &chunk, copy = std::string(bytes)] { return write_chunk(chunk, copy); });
}

Result<std::vector<Chunk>> BackupWriter::kept() {
  LADDER_CHECK(workers_.finish());
  const MutexLock lock(mutex_);
  for (Chunk& chunk : kept_) {
    if (const auto placed = placed_.find(chunk.name); placed != placed_.end()) chunk.place = placed->second;
  }
  return std::vector<Chunk>(kept_.begin(), kept_.end());
}

Result<std::string> BackupWriter::finish(Snapshot snapshot) {
  LADDER_CHECK(workers_.finish());
  LADDER_CHECK(packs_.finish());
  const std::map<PackId, std::int64_t> written = packs_.sizes();
  for (const auto& [pack, bytes] : written) {
    bytes_written_ += bytes;
    LADDER_CHECK(workers_.add([this, one = pack] { return packs_.read_back(one); }));
  }
  LADDER_CHECK(workers_.finish());
  snapshot.each_chunk([&](const Chunk& chunk) {
    if (chunk.place.pack == kNoPack) return;
    const auto is_new = written.find(chunk.place.pack);
    snapshot.packs[chunk.place.pack] = is_new == written.end() ? known_packs_.at(chunk.place.pack) : is_new->second;
  });
  std::string name = snapshot_name(std::max(snapshot.made_at, newest_ + 1));
  const Status done = snapshots_folder_.write_whole(name, folder_->seal(name, snapshot_text(snapshot)));
  if (!done) {
    snapshots_folder_.remove(name);  // before its packs are removed
    return std::unexpected(done.error());
  }
  finished_ = true;
  return name;
}

Result<std::int64_t> BackupWriter::prune(std::size_t count) {
  LADDER_TRY(const auto names, folder_->snapshots());
  const std::size_t dropped = names.size() > count ? names.size() - count : 0;
  // Reads all remaining snapshots before removing anything: an unreadable one would make its packs look unused.
  Inventory inventory;
  for (std::size_t at = dropped; at < names.size(); ++at) {
    LADDER_TRY(const Snapshot stays, folder_->snapshot(names[at]));
    count_in(stays, inventory);
  }
  for (std::size_t at = 0; at < dropped; ++at) snapshots_folder_.remove(names[at]);
  LADDER_CHECK(snapshots_folder_.sync());
  return remove_all_but(inventory);
}

}  // namespace ladder::app
