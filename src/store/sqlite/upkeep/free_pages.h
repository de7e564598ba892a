// Releases the free pages of a database to the file system as holes in the file. No page is moved, so it takes
// milliseconds, while a rewrite of the file takes as long as the store is large. The file size stays the same, but the
// disk space shrinks.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <string>

namespace ladder::store::sqlite {

// Starts at page `from` (counted from 0) and runs until the deadline. Returns where to resume, or -1 when done. The
// caller must hold the write lock with an empty log that no reader uses, so that every free page is unused.
// kStoreUnavailable: the file system does not support holes.
Result<std::int64_t> punch_free_pages(Connection& connection, const std::string& path, std::int64_t from, Deadline deadline);

}  // namespace ladder::store::sqlite
