// The SQLite engine of the store: one file with its write-ahead log, and two lock files beside it. store_impl.h is the class.
#pragma once

#include "base/result.h"
#include "store/open.h"
#include "store/store.h"

#include <memory>
#include <string>

namespace ladder::store::sqlite {

// kExisting: no write on the way. kCreate: makes file (0600) and missing folders (0700), migrates when needed.
Result<std::unique_ptr<Store>> open_sqlite(const std::string& path, OpenMode mode);

// For tests: what an idle reader keeps. Both take a store that open_sqlite made.
void close_idle_readers(Store& store);       // the next read opens a connection of its own
void drop_idle_reader_caches(Store& store);  // the next read finds no page in memory, but its statements prepared

}  // namespace ladder::store::sqlite
