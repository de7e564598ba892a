// A snapshot of `ladder backup`: the list of its chunks by part, as text, and its name, which sorts by time.
//
//   ladder 0.1.0
//   engine sqlite
//   schema 21
//   made-at 1794872400000000             microseconds since 1970
//   pack 0123456789abcdef 67108864       each pack that contains its chunks, and the size of that file
//   part ladder.db                       each part is followed by its chunks
//   chunk abcdef… 262144 0123… 4096      name, plaintext bytes, pack, and offset in the pack
//   chunk abcdef… 262144                 a chunk in its own file, written by versions without packs
//   sum 012345…                          SHA-256 of all lines above
#pragma once

#include "base/time/time.h"
#include "store/backup.h"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::cli {

using PackId = std::uint64_t;
inline constexpr PackId kNoPack = 0;

struct PackOffset {
  PackId pack = kNoPack;    // kNoPack: the chunk is a file of its own
  std::int64_t offset = 0;  // of its first stored byte

  friend bool operator==(const PackOffset&, const PackOffset&) = default;
};

struct Chunk {
  std::string name;
  std::int64_t bytes = 0;  // of the plaintext
  PackOffset place;
};

struct Snapshot {
  store::BackupInfo info;
  Instant made_at = 0;
  std::string ladder;                    // the version that created it
  std::map<PackId, std::int64_t> packs;  // the packs that contain its chunks, and the size of each file
  std::vector<std::pair<std::string, std::vector<Chunk>>> parts;

  std::int64_t bytes() const;
  void add(std::string_view part, Chunk chunk);
  void locate_chunks(std::span<const Chunk> chunks);  // all chunks, in order
  void each_chunk(const std::function<void(const Chunk&)>& use) const;
};

std::string snapshot_text(const Snapshot& snapshot);
std::optional<Snapshot> parse_snapshot(std::string_view text);  // nullopt if a line or the sum is wrong

// 20261116T233000.000000Z: sorts by time and is a valid file name on every system.
std::string snapshot_name(Instant made_at);
std::optional<Instant> time_of_snapshot_name(std::string_view name);  // nullopt if it is not such a name

bool is_chunk_name(std::string_view name);  // 64 hex digits
std::string pack_name(PackId pack);         // 16 hex digits
std::optional<PackId> parse_pack_name(std::string_view name);
std::string sha256_hex(std::string_view bytes);

}  // namespace ladder::cli
