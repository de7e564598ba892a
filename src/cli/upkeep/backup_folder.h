// Reads the folder that `ladder backup` writes (backup_writer.h). A snapshot is a list of chunks. A chunk is named by the hash
// of its plaintext, so that a chunk shared by several snapshots is stored once. With a key, both are encrypted
// (crypto/chunk_cipher.h).
//
//   ladder-backup                        the format, and whether it is encrypted
//   packs/0123456789abcdef               concatenated chunks (backup_packs.h)
//   snapshots/20261116T233000.000000Z    lines: metadata, parts and their chunks, a checksum (backup_snapshot.h)
//   chunks/ab/abcdef…                    one chunk per file, written by versions without packs
//
// A snapshot gets its name when all its chunks are on disk. Names sort by time, and a new name is always the last one: if the
// clock was set back, the name is later than the clock.
//
// Other users may be able to write to the folder. Nothing is read, written or removed through a symbolic link.
#pragma once

#include "base/error/error.h"
#include "cli/upkeep/backup_snapshot.h"
#include "cli/upkeep/held_folder.h"
#include "crypto/chunk_cipher.h"

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// Not thread-safe, except for name_of and seal.
class BackupFolder {
 public:
  // Returns kNotFound if it is not a backup, and kInvalidRequest if a newer Ladder wrote it or `key` (empty for an unencrypted
  // backup) is wrong.
  static Result<std::unique_ptr<BackupFolder>> open(const std::string& path, const std::string& key);
  // Opens the folder for the one process that writes to it. An empty folder becomes a backup. Returns kConflict if it holds
  // other files.
  static Result<std::unique_ptr<BackupFolder>> open_to_write(const std::string& path, const std::string& key);

  Result<std::vector<std::string>> snapshots() const;        // names, oldest first
  Result<Snapshot> snapshot(const std::string& name) const;  // kNotFound, kDamagedData
  // Returns kDamagedData if the content does not match its name and no other snapshot knows a good copy.
  Result<std::string> chunk(const Snapshot& snapshot, const Chunk& chunk) const;

  const HeldFolder& root() const { return root_; }
  bool is_encrypted() const { return cipher_.has_value(); }
  std::string name_of(std::string_view plaintext) const;
  std::string seal(const std::string& name, std::string_view plaintext) const;  // encrypts if the folder is encrypted
  std::int64_t stored_bytes(const Chunk& chunk) const;

 private:
  struct Copy {
    PackOffset place;
    std::int64_t pack_bytes = 0;
    friend bool operator==(const Copy&, const Copy&) = default;
  };

  BackupFolder(HeldFolder root, const std::string& key);
  static Result<std::unique_ptr<BackupFolder>> hold(const std::string& path, const std::string& key);
  Status check_header() const;
  Status write_header() const;
  Result<std::string> read_copy(const Chunk& chunk, const Copy& copy) const;
  Result<std::string> stored_copy(const Chunk& chunk, const Copy& copy) const;
  static Copy copy_of(const Snapshot& snapshot, const Chunk& chunk);
  Status find_copies() const;
  std::filesystem::path path_of(const Chunk& chunk, const Copy& copy) const;

  HeldFolder root_;
  std::optional<crypto::ChunkCipher> cipher_;
  // All copies named by snapshots; filled when the first damaged chunk is found.
  mutable std::optional<std::map<std::string, std::vector<Copy>, std::less<>>> copies_;
};

std::string folder_of_chunk(std::string_view name);  // "ab", below chunks/
inline constexpr const char *kPacksFolder = "packs", *kSnapshotsFolder = "snapshots", *kChunksFolder = "chunks";

}  // namespace ladder::cli
