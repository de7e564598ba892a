// A snapshot of `ladder backup`: the list of its chunks, part by part, as text, and its name, which sorts by time.
//
//   ladder 0.1.0
//   engine sqlite
//   schema 21
//   made-at 1794872400000000         microseconds since 1970
//   part ladder.db                   each part is followed by its chunks
//   chunk abcdef… 262144             the name, and the bytes of the plaintext
//   sum 012345…                      SHA-256 of all lines above
#pragma once

#include "base/time/time.h"
#include "store/backup.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::cli {

struct ChunkName {
  std::string name;
  std::int64_t bytes = 0;  // of the plaintext
};

struct Snapshot {
  store::BackupFacts facts;
  Instant made_at = 0;
  std::string ladder;  // the version that made it
  std::vector<std::pair<std::string, std::vector<ChunkName>>> parts;

  std::int64_t bytes() const;
  void add(std::string_view part, ChunkName chunk);
  void name_chunks(std::span<const ChunkName> names);  // all of them, in order
};

std::string snapshot_text(const Snapshot& snapshot);
std::optional<Snapshot> parse_snapshot(std::string_view text);  // nothing when a line or the sum is wrong

// 20261116T233000.000000Z: sorts by time and is a file name everywhere.
std::string snapshot_name(Instant made_at);
std::optional<Instant> time_of_snapshot_name(std::string_view name);  // nothing when it is no such name

bool is_chunk_name(std::string_view name);  // 64 hex digits
std::string sha256_hex(std::string_view bytes);

}  // namespace ladder::cli
