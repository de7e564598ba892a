// Files that root creates in another user's folder. A service runs as its own user, and root may run `ladder import
// --db …` for it; a lock file or journal owned by root would lock the service out of its own store.
#pragma once

#include <string>

namespace ladder {

// Gives a file or folder that this process has just created to the owner of its folder, if this process runs as root.
// Other users already own the files they create. On failure the file stays root's.
void give_to_folder_owner(int descriptor, const std::string& path);

// open(2) for a file next to a store; creates a missing file, readable only by its owner, and changes its owner as
// above. The owner of an existing file is never changed: it may be a link planted by an attacker. Returns -1 and sets
// errno on error.
int open_or_create_file(const std::string& path, int flags);

}  // namespace ladder
