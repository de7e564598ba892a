// Counts what SQLite reads from the database file and its log, so that tests can prove how much a read touches (design D3).
// Present only in processes that install it; memory-mapped reads do not exist here, so every page read is seen.
#pragma once

#include "base/result.h"

#include <cstdint>

namespace ladder::store::sqlite {

struct ReadCounts {
  std::int64_t database_reads = 0;
  std::int64_t database_bytes = 0;
  std::int64_t log_reads = 0;
  std::int64_t log_bytes = 0;

  std::int64_t bytes() const { return database_bytes + log_bytes; }
};

// From here on, stores that this process opens are counted.
Status install_counting_vfs();
ReadCounts read_counts();
void reset_read_counts();

}  // namespace ladder::store::sqlite
