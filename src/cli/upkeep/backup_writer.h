// One run of `ladder backup`: takes the chunks of a store, writes those that no snapshot has into new packs, on several threads,
// and gives the snapshot its name when everything is on disk. Files are made and removed, never changed.
//
// A pack that no snapshot names is of a backup that failed or was killed: the next backup removes it. A pack of which snapshots
// use less than half is left to run out: a backup writes the chunks it needs from it anew, and it goes with the last snapshot
// that names it. So the folder holds at most about twice what its snapshots need.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "cli/upkeep/backup_folder.h"
#include "cli/upkeep/backup_packs.h"
#include "cli/upkeep/worker_pool.h"

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

namespace ladder::cli {

class BackupWriter {
 public:
  enum class Extent : std::uint8_t { kWhatIsNew, kEverything };

  // Makes the folder where there is none, and holds its lock. kConflict when it holds other files or another backup writes to it;
  // kInvalidRequest as BackupFolder::open.
  static Result<std::unique_ptr<BackupWriter>> open(const std::string& path, const std::string& key, Extent extent);
  ~BackupWriter();  // unless it has finished, nothing that it wrote stays
  BackupWriter(const BackupWriter&) = delete;
  BackupWriter& operator=(const BackupWriter&) = delete;

  // Writes it, on another thread, unless a snapshot has it.
  Status keep(std::string_view bytes);
  Result<std::vector<Chunk>> kept();  // all of them, in the order they came
  // Everything that was kept is on disk, is read back and compared; then the snapshot has its name, which is returned.
  Result<std::string> finish(Snapshot snapshot);
  bool clock_is_behind(Instant now) const { return now <= newest_; }  // the newest snapshot
  // Removes all but the newest `count` snapshots, and the packs and chunks that no snapshot names. How many bytes.
  Result<std::int64_t> prune(std::size_t count);

  std::int64_t bytes_written() const { return bytes_written_; }
  const BackupFolder& folder() const { return *folder_; }

 private:
  // The chunks and packs that snapshots name.
  struct Inventory {
    std::map<std::string, Chunk, std::less<>> chunks;  // as the newest of them has it
    std::set<std::string, std::less<>> loose;          // chunks that are a file of their own
    std::map<PackId, std::int64_t> packs;              // the bytes that each file should have
    std::set<std::pair<PackId, std::int64_t>> places;  // of all chunks in packs
    std::map<PackId, std::int64_t> used;               // bytes of a pack that are somebody's
  };

  BackupWriter(std::unique_ptr<BackupFolder> folder, HeldFolder packs, HeldFolder snapshots, FileDescriptor lock);
  void count_in(const Snapshot& snapshot, Inventory& inventory) const;
  Status load(Extent extent);
  bool is_usable(const Chunk& chunk, const Inventory& inventory) const;
  std::int64_t remove_all_but(const Inventory& inventory) const;  // bytes
  Status write_chunk(Chunk& chunk, std::string_view bytes);

  const std::unique_ptr<BackupFolder> folder_;
  const HeldFolder packs_folder_, snapshots_folder_;
  const FileDescriptor lock_;
  std::map<std::string, Chunk, std::less<>> known_;  // chunks of snapshots that need not be written again
  std::map<PackId, std::int64_t> known_packs_;       // packs of snapshots, and the bytes of each file
  Instant newest_ = 0;                               // by the names of the snapshots
  std::int64_t bytes_written_ = 0;
  bool finished_ = false;
  std::deque<Chunk> kept_;  // the place of each is its writer's alone until kept()
  PackWriter packs_;
  Mutex mutex_;
  std::map<std::string, PackPlace, std::less<>> placed_ LADDER_GUARDED_BY(mutex_);  // new chunks: the first to come writes it
  WorkerPool workers_;                                                              // the last member: its jobs use the others
};

}  // namespace ladder::cli
