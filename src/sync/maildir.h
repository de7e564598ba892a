// Reads the Maildir folders below a path, such as those of mbsync. A message is identified by the unique part of its file name,
// so a changed flag, which renames the file, costs no reading. A folder whose directories are unchanged is not listed again.
#pragma once

#include "sync/synchronizer.h"

#include <filesystem>
#include <string>
#include <vector>

namespace ladder::sync {

struct MaildirFolder {
  std::string wire_name;       // the path below the root; "." for the root itself
  std::string name;            // as in an import of the same path: the last name, or INBOX for the root
  std::int64_t messages = -1;  // -1: not counted
};

// Returns the folders that have cur/ and new/, sorted. kNotFound if the path or all of them are missing: a disk that is not
// mounted must not look like an empty one.
Result<std::vector<MaildirFolder>> find_maildirs(const std::filesystem::path& root, bool with_counts);

ReadFolders maildir_folders(const std::filesystem::path& root);

}  // namespace ladder::sync
