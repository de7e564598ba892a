// The folder that `ladder backup` writes to (backup_writer.h), as it is read. A snapshot is a list of chunks, and a chunk has the
// hash of its plaintext for a name, so that one of several snapshots is stored once. With a key both are encrypted
// (crypto/chunk_cipher.h).
//
//   ladder-backup                        what the folder is, and whether it is encrypted
//   packs/0123456789abcdef               chunks one behind the other (backup_packs.h)
//   snapshots/20261116T233000.000000Z    lines: facts, parts and their chunks, a sum over all of them (backup_snapshot.h)
//   chunks/ab/abcdef…                    a chunk each, as Ladder wrote them before there were packs
//
// A snapshot gets its name when all its chunks are on disk. Names sort by time, and a new one always comes last: when the clock
// has been set back, the name is later than the clock.
//
// Others may write to the folder. Nothing is read, written or removed through a symbolic link that they put there.
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

// For one thread, but for name_of and seal.
class BackupFolder {
 public:
  // kNotFound when it is no backup; kInvalidRequest when it is of a newer Ladder, or when `key`, which is empty for a plain one,
  // is not its key.
  static Result<std::unique_ptr<BackupFolder>> open(const std::string& path, const std::string& key);
  // The same for the one process that writes to it: an empty folder becomes a backup. kConflict when it holds other files.
  static Result<std::unique_ptr<BackupFolder>> open_to_write(const std::string& path, const std::string& key);

  Result<std::vector<std::string>> snapshots() const;        // names, the oldest first
  Result<Snapshot> snapshot(const std::string& name) const;  // kNotFound, kDamagedData
  // kDamagedData when it is not what its name says, and no other snapshot knows a good copy of it.
  Result<std::string> chunk(const Snapshot& snapshot, const Chunk& chunk) const;

  const HeldFolder& root() const { return root_; }
  bool is_encrypted() const { return cipher_.has_value(); }
  std::string name_of(std::string_view plaintext) const;
  std::string seal(const std::string& name, std::string_view plaintext) const;  // as it is stored; a copy in a plain folder
  std::int64_t stored_bytes(const Chunk& chunk) const;

 private:
  struct Copy {
    PackPlace place;
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
  // Of the chunks of all snapshots; looked for once a chunk was found to be damaged.
  mutable std::optional<std::map<std::string, std::vector<Copy>, std::less<>>> copies_;
};

std::string folder_of_chunk(std::string_view name);  // "ab", below chunks/
inline constexpr const char *kPacksFolder = "packs", *kSnapshotsFolder = "snapshots", *kChunksFolder = "chunks";

}  // namespace ladder::cli
