// The packs of a backup: files of about 64 MB that contain concatenated chunks in the order of arrival. A file per chunk would
// cost more than the data itself. A pack is immutable once written; its name is a random number.
#pragma once

#include "base/error/error.h"
#include "base/mutex.h"
#include "cli/upkeep/backup_snapshot.h"
#include "cli/upkeep/held_folder.h"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

inline constexpr std::int64_t kPackBytes = 64LL * 1024 * 1024;  // a pack is full when the next chunk would exceed this size

// Writes new packs to a folder. Thread-safe until finish() is called.
class PackWriter {
 public:
  explicit PackWriter(const HeldFolder& folder) : folder_(folder) {}

  // Appends the bytes to a pack and returns the pack and offset. Syncs a full pack to disk.
  Result<PackOffset> append(std::string_view stored);
  Status finish();  // syncs the last pack and all file names to disk
  // Reads every byte again and compares it with what was written. Call after finish(), for one pack at a time.
  Status read_back(PackId pack) const;
  void remove_all();  // after a failed backup: its packs may have filled the disk

  std::map<PackId, std::int64_t> sizes() const;  // pack sizes in bytes

 private:
  struct Piece {
    std::int64_t offset = 0, bytes = 0;
    std::uint64_t sum = 0;
  };
  struct Pack {
    std::int64_t bytes = 0;
    std::vector<Piece> pieces;
  };
  Result<PackId> begin_pack() LADDER_REQUIRES(mutex_);

  const HeldFolder& folder_;
  mutable Mutex mutex_;
  std::map<PackId, Pack> packs_ LADDER_GUARDED_BY(mutex_);
  PackId open_ LADDER_GUARDED_BY(mutex_) = kNoPack;
  FileDescriptor file_ LADDER_GUARDED_BY(mutex_);     // the open pack
  std::int64_t begun_ LADDER_GUARDED_BY(mutex_) = 0;  // bytes whose writeback has started
};

}  // namespace ladder::cli
