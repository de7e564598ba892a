// The VFS under SQLite. Ladder puts a thin one of its own over the operating system's: it zeroes the unused bytes of every page
// that goes into the database file (page_scrub.h says why). Tests may put a further one on top, e.g. to count what is read, or
// one below, to make calls fail.
#pragma once

#include "base/result.h"

#include <sqlite3.h>

#include <cstdint>

namespace ladder::store::sqlite {

enum class VfsFile : std::uint8_t { kDatabase, kLog, kOther };

// What a layer adds to plain passing on. Null members are skipped.
struct VfsHooks {
  void (*did_read)(VfsFile file, int bytes) = nullptr;
  bool scrubs_pages = false;  // of the database file
};

// Registers a file layer called `name` (static text) over `base`, once; again it changes nothing.
Status register_vfs(const char* name, const char* base, const VfsHooks& hooks);

// The layer that connections opened from now on use; registers Ladder's own on first use.
Result<const char*> vfs_name();
void use_vfs(const char* name);  // for tests, static text; null: Ladder's own

}  // namespace ladder::store::sqlite
