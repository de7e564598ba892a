// The packs of a backup: files of some 64 MB with chunks one behind the other, in the order they came. A file for each chunk
// would cost the disk more than the bytes do. A pack never changes once it is written; its name is a random number.
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

inline constexpr std::int64_t kPackBytes = 64LL * 1024 * 1024;  // one is full when the next chunk would make it larger

// Writes new packs into a folder. Safe to use from several threads until finish().
class PackWriter {
 public:
  explicit PackWriter(const HeldFolder& folder) : folder_(folder) {}

  // Appends the bytes to a pack, and tells which and where they begin. A pack that is full is brought to the disk.
  Result<PackPlace> append(std::string_view stored);
  Status finish();  // the last pack is on disk, and the names of all are
  // Every byte is read again and compared with what was handed over. One pack at a time; after finish().
  Status read_back(PackId pack) const;
  void remove_all();  // of a backup that failed: its packs may be what fills the disk

  std::map<PackId, std::int64_t> sizes() const;  // of its packs, in bytes

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
  FileDescriptor file_ LADDER_GUARDED_BY(mutex_);     // of the open pack
  std::int64_t begun_ LADDER_GUARDED_BY(mutex_) = 0;  // so many of its bytes are on their way to the disk
};

}  // namespace ladder::cli
