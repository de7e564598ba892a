// What SQLite's result codes mean to a person: an Error that says what is wrong with the store and the way out.
#pragma once

#include "base/error.h"

#include <sqlite3.h>

#include <string_view>

namespace ladder::store::sqlite {

// `rc` is what SQLite returned, `db` the connection it came from (may be null), `doing` goes to the operator's log.
Error sqlite_error(sqlite3* db, int rc, std::string_view doing);

// Whether an error made here says that the disk is full.
bool means_disk_full(const Error& error);

// The operating system refused something at `path`, outside SQLite.
Error file_error(int error_number, std::string_view path, std::string_view doing);

}  // namespace ladder::store::sqlite
