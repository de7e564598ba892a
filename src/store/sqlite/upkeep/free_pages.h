// Gives the free pages of a database back to the file system as holes in the file. Nothing is moved, so it takes milliseconds
// where a rewrite of the file takes as long as the store is large; the size that the file shows stays, the space it takes does
// not.
#pragma once

#include "base/error/error.h"
#include "base/time/time.h"
#include "store/sqlite/engine/connection.h"

#include <cstdint>
#include <string>

namespace ladder::store::sqlite {

// From page `from` on (counted from 0), until the deadline; where to go on, or nothing left: -1. Only for whoever holds the write
// lock, with an empty log that no reader uses: then every free page is free for everybody. kStoreUnavailable where the file
// system knows no holes.
Result<std::int64_t> punch_free_pages(Connection& connection, const std::string& path, std::int64_t from, Deadline deadline);

}  // namespace ladder::store::sqlite
