#include "cli/upkeep/backup_packs.h"

#include "base/text/bytes.h"
#include "crypto/random.h"

#include <fcntl.h>

#include <utility>

namespace ladder::cli {
namespace {

constexpr std::int64_t kBeginWritingBytes = 8LL * 1024 * 1024;  // disks prefer large writes

}  // namespace

Result<PackId> PackWriter::begin_pack() {
  PackId pack = kNoPack;
  while (pack == kNoPack) pack = get_u64_be(crypto::random_bytes(sizeof(pack)));
  LADDER_TRY(FileDescriptor file, folder_.create(pack_name(pack)));
  file_ = std::move(file);
  packs_.emplace(pack, Pack());
  begun_ = 0;
  return open_ = pack;
}

Result<PackOffset> PackWriter::append(std::string_view stored) {
  const std::uint64_t sum = Checksum().add(stored).value();
  PackOffset place;
  FileDescriptor full;
  PackId full_pack = kNoPack;
  {
    const MutexLock lock(mutex_);
    if (open_ != kNoPack && packs_[open_].bytes + std::ssize(stored) > kPackBytes) {
      full = std::move(file_);
      full_pack = std::exchange(open_, kNoPack);
    }
    if (open_ == kNoPack) LADDER_CHECK(begin_pack());
    Pack& pack = packs_[open_];
    place = {open_, pack.bytes};
    LADDER_CHECK(write_all(file_, folder_.path(pack_name(open_)), stored));
    pack.bytes += std::ssize(stored);
    pack.pieces.push_back({place.offset, std::ssize(stored), sum});
    // Starts writeback periodically, so that the final sync is short.
    if (pack.bytes - begun_ >= kBeginWritingBytes) {
      ::sync_file_range(file_.get(), begun_, pack.bytes - begun_, SYNC_FILE_RANGE_WRITE);
      begun_ = pack.bytes;
    }
  }
  if (full.is_open()) LADDER_CHECK(sync_file(full, folder_.path(pack_name(full_pack))));
  return place;
}

Status PackWriter::finish() {
  const MutexLock lock(mutex_);
  if (open_ != kNoPack) LADDER_CHECK(sync_file(file_, folder_.path(pack_name(open_))));
  file_ = FileDescriptor();
  open_ = kNoPack;
  return packs_.empty() ? Status() : folder_.sync();
}

Status PackWriter::read_back(PackId pack) const {
  std::vector<Piece> pieces;
  {
    const MutexLock lock(mutex_);
    const auto found = packs_.find(pack);
    if (found != packs_.end()) pieces = found->second.pieces;
  }
  const std::filesystem::path path = folder_.path(pack_name(pack));
  LADDER_TRY(const FileDescriptor file, folder_.open(pack_name(pack)));
  std::string bytes;
  for (const Piece& piece : pieces) {
    LADDER_CHECK(read_range_into(file, path, piece.offset, piece.bytes, bytes));
    if (Checksum().add(bytes).value() != piece.sum)
      return fail(Code::kDamagedData, "reading " + path.native() + " back returned different data: the disk is unreliable");
  }
  return {};
}

void PackWriter::remove_all() {
  const MutexLock lock(mutex_);
  file_ = FileDescriptor();
  open_ = kNoPack;
  for (const auto& [pack, written] : packs_) folder_.remove(pack_name(pack));
  packs_.clear();
}

std::map<PackId, std::int64_t> PackWriter::sizes() const {
  const MutexLock lock(mutex_);
  std::map<PackId, std::int64_t> sizes;
  for (const auto& [pack, written] : packs_) sizes.emplace(pack, written.bytes);
  return sizes;
}

}  // namespace ladder::cli
