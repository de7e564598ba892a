// Files that root makes in somebody else's folder. A service runs as a user of its own, and root helps it with `ladder import
// --db …`; a lock file or a journal of root's would shut the service out of its own store.
#pragma once

#include <string>

namespace ladder {

// As root, gives a file or folder that this process has just made, and nobody before it, to the owner of the folder it lies in.
// Anybody else owns what he makes. What cannot be given stays root's.
void give_to_owner_of_folder(int descriptor, const std::string& path);

// open(2) of a file beside a store; one that is not there is made, for its owner alone, and given as above. A file that was there
// is never given away: it may be a link that somebody has laid. -1 with errno.
int open_or_make(const std::string& path, int flags);

}  // namespace ladder
