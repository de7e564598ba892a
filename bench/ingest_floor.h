// The floor of the ingest benchmark: a bare prepared loop that writes exactly the rows that Ladder wrote, including
// index entries, day counts and the words of the bodies. The rows are read back or computed beforehand and ready to
// bind, in batches of Ladder's sizes.
#pragma once

#include "scene.h"

#include "store/index/field_index.h"

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ladder::bench {

// The tables that ingest writes; both stores must be equal in them.
inline constexpr std::array kTables = {"records",       "changes",    "number_blocks", "streams",
                                       "index_entries", "index_days", "blob_refs"};

struct Block {
  std::int64_t first, size;
};

// The final state of a stream after a batch.
struct StreamState {
  std::int64_t records = 0, max_version = 0, next_no = 0, block_end = 0;
};

using DayCounts = std::map<store::IndexDay, std::int64_t>;

class Floor {
 public:
  virtual ~Floor() = default;
  virtual void load(const ScratchLocation& from, const std::vector<std::int64_t>& batches) = 0;
  virtual void write() = 0;  // the timed part
  virtual void compare(const ScratchLocation& other) = 0;
};

std::unique_ptr<Floor> sqlite_floor(const ScratchLocation& place);
std::unique_ptr<Floor> postgres_floor(const ScratchLocation& place);

}  // namespace ladder::bench
