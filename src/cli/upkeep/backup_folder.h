// The folder that `ladder backup` writes to. Chunks are files named by the hash of their plaintext, so that a chunk of several
// snapshots is stored once; a snapshot is a list of chunks. With a key both are encrypted (crypto/chunk_cipher.h).
//
//   ladder-backup                  what the folder is, and whether it is encrypted
//   chunks/ab/abcdef…              64 hex digits
//   snapshots/20261116T233000.000000Z    lines: facts, parts and their chunks, a sum over all of them
//
// A snapshot gets its name when all its chunks are on disk. A chunk that no snapshot names is of a backup that failed or was
// killed: it is not trusted, and the next backup removes it. Names sort by time, and a new one always comes last: when the clock
// has been set back, the name is later than the clock.
//
// Others may write to the folder. Nothing is written or removed through a symbolic link that they put there, and only files that
// are named like a chunk or a snapshot are removed.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "cli/upkeep/backup_snapshot.h"
#include "cli/upkeep/worker_pool.h"
#include "crypto/chunk_cipher.h"

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

class BackupFolder {
 public:
  // Takes a new or empty folder, or one that was made so; holds its lock. kConflict when it holds other files or another backup
  // writes to it. `key` is empty for a plain one; a folder of the other kind, or of another key, is kInvalidRequest.
  static Result<std::unique_ptr<BackupFolder>> open_to_write(const std::string& path, const std::string& key);
  // kNotFound when it is no backup.
  static Result<std::unique_ptr<BackupFolder>> open_to_read(const std::string& path, const std::string& key);
  ~BackupFolder();
  BackupFolder(const BackupFolder&) = delete;
  BackupFolder& operator=(const BackupFolder&) = delete;

  // Writes it, on another thread, unless a snapshot has it. The chunk gets its name by the time of kept().
  Status keep(std::string_view bytes);
  Result<std::vector<ChunkName>> kept();  // all of them, in the order they came
  // Everything that was kept is on disk, is read back and compared; then the snapshot has its name, which is returned.
  Result<std::string> finish(const Snapshot& snapshot);
  bool clock_is_behind(Instant now) const { return now <= newest_; }  // the newest snapshot
  // Removes all but the newest `count` snapshots, and the chunks that no snapshot names. How many chunks.
  Result<std::int64_t> prune(std::size_t count);

  Result<std::vector<std::string>> snapshots() const;  // names, the oldest first
  Result<Snapshot> snapshot(const std::string& name) const;
  Result<std::string> chunk(const ChunkName& chunk) const;  // kDamagedData

  std::int64_t bytes_written() const { return bytes_written_; }

 private:
  BackupFolder(std::filesystem::path path, const std::string& key);
  Status check_header() const;
  Status write_header() const;
  Status load_known();
  void abandon();
  // Removes the chunks whose names are unused, drafts among them; how many.
  std::int64_t remove_chunks(const std::function<bool(const std::string& name)>& unused) const;
  std::string name_of(std::string_view bytes) const;
  std::filesystem::path chunk_path(const std::string& name) const { return path_ / "chunks" / name.substr(0, 2) / name; }
  Status write_file(const std::filesystem::path& path, std::string_view bytes) const;
  Result<ChunkName> write_chunk(std::string_view bytes);
  bool has(const ChunkName& chunk) const;  // a snapshot does, and the file has its size
  Status read_back(const ChunkName& chunk, std::uint64_t sum) const;

  struct Written {
    ChunkName chunk;
    std::uint64_t sum = 0;  // of the file
    bool is_new = false;    // there was no such file before
  };

  std::filesystem::path path_;
  std::optional<crypto::ChunkCipher> cipher_;
  int lock_ = -1;
  std::map<std::string, std::int64_t, std::less<>> known_;  // chunks of snapshots; not changed while chunks are written
  Instant newest_ = 0;                                      // by the names of the snapshots that can be read
  std::int64_t bytes_written_ = 0;
  bool finished_ = false;
  std::deque<ChunkName> kept_;  // the place of each is its writer's alone until kept()
  Mutex mutex_;
  std::set<std::string, std::less<>> claimed_ LADDER_GUARDED_BY(mutex_);  // chunks that are new: the first to come writes it
  std::set<std::string, std::less<>> folders_ LADDER_GUARDED_BY(mutex_);  // of chunks, that were made or found
  std::vector<Written> written_ LADDER_GUARDED_BY(mutex_);
  WorkerPool workers_;  // the last member: its jobs use the others
};

// The key that a file holds as 64 hex digits; only its owner may read it. kNotFound, kInvalidRequest.
Result<std::string> read_backup_key(const std::string& path);
Status make_backup_key(const std::string& path);  // kConflict when the file is there

}  // namespace ladder::cli
