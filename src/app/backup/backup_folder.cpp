#include "app/backup/backup_folder.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"

#include <algorithm>
#include <system_error>
#include <utility>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kMark = "ladder-backup ", kPlain = "plain", kEncrypted = "encrypted ", kKeyCheck = "key-check";
constexpr std::string_view kFormat = "2", kFormatBeforePacks = "1";
const std::string kHeader = "ladder-backup";
constexpr std::int64_t kMaxHeaderFile = limits::kMiB, kMaxSnapshotFile = 1024LL * limits::kMiB;
constexpr std::int64_t kMaxChunkBytes = 32 * limits::kMiB;

std::unexpected<Error> no_backup(const fs::path& path) {
  return fail(Code::kNotFound, format("{} is not a folder written by `ladder backup`", path.native()));
}

std::string_view take_line(std::string_view& text) {
  const std::size_t end = std::min(text.find('\n'), text.size());
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

// The list of a snapshot is written once. A damaged list stays damaged, and prevents the removal of everything that it may
// name.
std::unexpected<Error> damaged_snapshot(const fs::path& file) {
  return fail(Code::kDamagedData, format("the snapshot {} is damaged: remove the file {} and make a new backup; `ladder backup "
                                         "verify` shows which snapshots are intact",
                                         file.filename().native(), file.native()));
}

std::unexpected<Error> damaged_chunk(const fs::path& file) {
  return fail(Code::kDamagedData,
              format("a chunk of the backup is damaged, in {}: `ladder backup TARGET --full` writes all current data "
                     "again; `ladder backup verify` shows which snapshots are intact",
                     file.native()));
}

std::unexpected<Error> missing_chunk(const fs::path& file) {
  return fail(Code::kDamagedData,
              format("a chunk of the backup is missing with the file {}: the next backup writes it again if the "
                     "store still has it; `ladder backup verify` shows which snapshots are intact",
                     file.native()));
}

}  // namespace

std::string folder_of_chunk(std::string_view name) { return std::string(name.substr(0, 2)); }

BackupFolder::BackupFolder(HeldFolder root, const std::string& key) : root_(std::move(root)) {
  if (!key.empty()) cipher_.emplace(key);
}

Result<std::unique_ptr<BackupFolder>> BackupFolder::hold(const std::string& path, const std::string& key) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);  // the administrator may name a link
  if (error) return no_backup(path);
  LADDER_TRY(HeldFolder root, HeldFolder::hold(whole));
  return std::unique_ptr<BackupFolder>(new BackupFolder(std::move(root), key));
}

Result<std::unique_ptr<BackupFolder>> BackupFolder::open(const std::string& path, const std::string& key) {
  LADDER_TRY(auto folder, hold(path, key));
  LADDER_CHECK(folder->check_header());
  return folder;
}

Result<std::unique_ptr<BackupFolder>> BackupFolder::open_to_write(const std::string& path, const std::string& key) {
  LADDER_TRY(auto folder, hold(path, key));
  const std::vector<std::string> names = folder->root_.names();
  if (std::ranges::find(names, kHeader) != names.end()) LADDER_CHECK(folder->check_header());
  // An interrupted first backup leaves at most the draft of the header.
  else if (std::ranges::any_of(names, [](const std::string& name) { return name != kHeader + std::string(kDraftSuffix); }))
    return fail(Code::kConflict, format("{} contains other files: choose a new or empty folder", path));
  // Replaces the header of a Ladder without pack support, so that it refuses the folder from now on.
  LADDER_CHECK(folder->write_header());
  return folder;
}

Status BackupFolder::check_header() const {
  const auto header = root_.read_whole(kHeader, kMaxHeaderFile);
  if (!header || !header->starts_with(kMark) || !header->ends_with('\n')) return no_backup(root_.path());
  std::string_view text = std::string_view(*header).substr(kMark.size());
  const std::string_view format_of_folder = take_line(text), kind = take_line(text);
  if (!text.empty() || (format_of_folder != kFormat && format_of_folder != kFormatBeforePacks)) {
    return fail(Code::kInvalidRequest, format("{} was made by a newer Ladder, or its file {} was changed: upgrade ladder",
                                              root_.path().native(), kHeader));
  }
  if (kind == kPlain) {
    if (!cipher_) return {};
    return fail(Code::kInvalidRequest,
                format("{} is not encrypted: if it was created with a key, it has been replaced; if not, omit --key or choose "
                       "another folder",
                       root_.path().native()),
                "key");
  }
  if (!kind.starts_with(kEncrypted)) return no_backup(root_.path());
  if (!cipher_)
    return fail(Code::kInvalidRequest, format("{} is encrypted: use its key with --key FILE", root_.path().native()), "key");
  if (cipher_->open(kKeyCheck, from_hex(kind.substr(kEncrypted.size())).value_or(""))) return {};
  return fail(Code::kInvalidRequest,
              format("{} is encrypted with another key, or its file {} was changed", root_.path().native(), kHeader), "key");
}

Status BackupFolder::write_header() const {
  const std::string first_line = format("{}{}\n", kMark, kFormat);
  const auto there = root_.read_whole(kHeader, kMaxHeaderFile);
  if (there && there->starts_with(first_line)) return {};
  const std::string kind = cipher_ ? std::string(kEncrypted) + to_hex(cipher_->seal(kKeyCheck, "")) : std::string(kPlain);
  return root_.write_whole(kHeader, format("{}{}\n", first_line, kind));
}

std::string BackupFolder::name_of(std::string_view plaintext) const {
  return cipher_ ? cipher_->name_of(plaintext) : sha256_hex(plaintext);
}

std::string BackupFolder::seal(const std::string& name, std::string_view plaintext) const {
  return cipher_ ? cipher_->seal(name, plaintext) : std::string(plaintext);
}

std::int64_t BackupFolder::stored_bytes(const Chunk& chunk) const {
  return chunk.bytes + (cipher_ ? static_cast<std::int64_t>(crypto::kChunkOverheadBytes) : 0);
}

Result<std::vector<std::string>> BackupFolder::snapshots() const {
  const auto folder = root_.below(kSnapshotsFolder);
  if (!folder && folder.error().code == Code::kNotFound) return std::vector<std::string>();
  if (!folder) return std::unexpected(folder.error());
  std::vector<std::string> names = folder->names();
  std::erase_if(names, [](const std::string& name) { return !time_of_snapshot_name(name); });
  std::ranges::sort(names);
  return names;
}

Result<Snapshot> BackupFolder::snapshot(const std::string& name) const {
  const auto missing = [&] {
    return fail(Code::kNotFound,
                format("no snapshot '{}' in {}: `ladder backup list` shows the snapshots", name, root_.path().native()), "at");
  };
  if (!time_of_snapshot_name(name)) return missing();
  LADDER_TRY(const HeldFolder folder, root_.below(kSnapshotsFolder));
  auto text = folder.read_whole(name, kMaxSnapshotFile);
  if (!text && text.error().code == Code::kNotFound) return missing();
  if (text && cipher_) text = cipher_->open(name, *text);
  auto found = text ? parse_snapshot(*text) : std::nullopt;
  if (!found) return damaged_snapshot(folder.path(name));
  return *std::move(found);
}

fs::path BackupFolder::path_of(const Chunk& chunk, const Copy& copy) const {
  if (copy.place.pack != kNoPack) return root_.path(kPacksFolder) / pack_name(copy.place.pack);
  return root_.path(kChunksFolder) / folder_of_chunk(chunk.name) / chunk.name;
}

Result<std::string> BackupFolder::stored_copy(const Chunk& chunk, const Copy& copy) const {
  if (chunk.bytes > kMaxChunkBytes) return damaged_chunk(path_of(chunk, copy));
  if (copy.place.pack == kNoPack) {
    LADDER_TRY(const HeldFolder chunks, root_.below(kChunksFolder));
    LADDER_TRY(const HeldFolder folder, chunks.below(folder_of_chunk(chunk.name)));
    return folder.read_whole(chunk.name, stored_bytes(chunk));
  }
  LADDER_TRY(const HeldFolder packs, root_.below(kPacksFolder));
  LADDER_TRY(const FileDescriptor file, packs.open(pack_name(copy.place.pack)));
  LADDER_TRY(const std::int64_t size, size_of(file, path_of(chunk, copy)));
  if (size != copy.pack_bytes) return damaged_chunk(path_of(chunk, copy));
  return read_range(file, path_of(chunk, copy), copy.place.offset, stored_bytes(chunk));
}

Result<std::string> BackupFolder::read_copy(const Chunk& chunk, const Copy& copy) const {
  auto bytes = stored_copy(chunk, copy);
  if (!bytes && bytes.error().code == Code::kNotFound) return missing_chunk(path_of(chunk, copy));
  if (!bytes && bytes.error().code != Code::kDamagedData) return bytes;
  if (bytes && cipher_) bytes = cipher_->open(chunk.name, *bytes);
  if (!bytes || std::ssize(*bytes) != chunk.bytes || name_of(*bytes) != chunk.name) return damaged_chunk(path_of(chunk, copy));
  return bytes;
}

Result<std::string> BackupFolder::chunk(const Snapshot& snapshot, const Chunk& chunk) const {
  const Copy first = copy_of(snapshot, chunk);
  auto bytes = read_copy(chunk, first);
  if (bytes) return bytes;
  if (!copies_) LADDER_CHECK(find_copies());
  for (const Copy& other : (*copies_)[chunk.name]) {
    if (other == first) continue;
    if (auto good = read_copy(chunk, other)) return good;
  }
  return bytes;
}

BackupFolder::Copy BackupFolder::copy_of(const Snapshot& snapshot, const Chunk& chunk) {
  const auto pack = snapshot.packs.find(chunk.place.pack);
  return {chunk.place, pack == snapshot.packs.end() ? 0 : pack->second};
}

Status BackupFolder::find_copies() const {
  LADDER_TRY(const auto names, snapshots());
  copies_.emplace();
  for (const std::string& name : names) {
    const auto list = snapshot(name);
    if (!list) continue;
    list->each_chunk([&](const Chunk& chunk) {
      std::vector<Copy>& copies = (*copies_)[chunk.name];
      if (std::ranges::find(copies, copy_of(*list, chunk)) == copies.end()) copies.push_back(copy_of(*list, chunk));
    });
  }
  return {};
}

}  // namespace ladder::app
