// One run of `ladder backup`: writes the store's chunks that no snapshot has to new packs, on several threads, and names the
// snapshot when everything is on disk. Files are created and removed, never changed.
//
// A pack that no snapshot names comes from a failed or interrupted backup, and the next backup removes it. If snapshots use
// less than half of a pack, backups write the chunks that they need from it again, and the pack is removed with the last
// snapshot that names it. So the folder holds at most about twice what its snapshots need.
#pragma once

#include "app/backup/backup_folder.h"
#include "app/backup/backup_packs.h"
#include "app/backup/worker_pool.h"
#include "base/error/error.h"
#include "base/mutex.h"

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::app {

class BackupWriter {
 public:
  enum class Extent : std::uint8_t { kWhatIsNew, kEverything };

  // Creates the folder if needed and locks it. Returns kConflict if it holds other files or another backup is writing to it,
  // and kInvalidRequest as BackupFolder::open does.
  static Result<std::unique_ptr<BackupWriter>> open(const std::string& path, const std::string& key, Extent extent);
  // Returns true if a process is writing a backup to the folder.
  static bool is_writing(const std::string& path);
  ~BackupWriter();  // removes everything it wrote unless finish() succeeded
  BackupWriter(const BackupWriter&) = delete;
  BackupWriter& operator=(const BackupWriter&) = delete;

  // Writes the chunk on another thread, unless a snapshot has it.
  Status keep(std::string_view bytes);
  Result<std::vector<Chunk>> kept();  // all chunks, in order of arrival
  // Syncs all chunks to disk, reads them back and compares them; then names the snapshot and returns the name.
  Result<std::string> finish(Snapshot snapshot);
  bool clock_is_behind(Instant now) const { return now <= newest_; }  // compared with the newest snapshot
  // Removes all but the newest `count` snapshots, and the packs and chunks that no snapshot names. Returns the bytes removed.
  Result<std::int64_t> prune(std::size_t count);

  std::int64_t bytes_written() const { return bytes_written_; }
  const BackupFolder& folder() const { return *folder_; }

 private:
  // The chunks and packs that snapshots name.
  struct Inventory {
    std::map<std::string, Chunk, std::less<>> chunks;  // the newest snapshot's entry for each
    std::set<std::string, std::less<>> loose;          // chunks in files of their own
    std::map<PackId, std::int64_t> packs;              // the expected size of each file
    std::set<std::pair<PackId, std::int64_t>> places;  // the locations of all chunks in packs
    std::map<PackId, std::int64_t> used;               // bytes of each pack that snapshots use
  };

  BackupWriter(std::unique_ptr<BackupFolder> folder, HeldFolder packs, HeldFolder snapshots, FileDescriptor lock);
  void count_in(const Snapshot& snapshot, Inventory& inventory) const;
  Status load(Extent extent);
  bool is_usable(const Chunk& chunk, const Inventory& inventory) const;
  std::int64_t remove_all_but(const Inventory& inventory) const;  // returns bytes
  Status write_chunk(Chunk& chunk, std::string_view bytes);

  const std::unique_ptr<BackupFolder> folder_;
  const HeldFolder packs_folder_, snapshots_folder_;
  const FileDescriptor lock_;
  std::map<std::string, Chunk, std::less<>> known_;  // chunks of snapshots that need not be written again
  std::map<PackId, std::int64_t> known_packs_;       // packs of snapshots, and the size of each file
  Instant newest_ = 0;                               // from the names of the snapshots
  std::int64_t bytes_written_ = 0;
  bool finished_ = false;
  std::deque<Chunk> kept_;  // until kept(), only the writer of an element accesses it
  PackWriter packs_;
  Mutex mutex_;
  std::map<std::string, PackOffset, std::less<>> placed_ LADDER_GUARDED_BY(mutex_);  // new chunks: the first to add one writes it
  WorkerPool workers_;                                                               // the last member: its jobs use the others
};

}  // namespace ladder::app
