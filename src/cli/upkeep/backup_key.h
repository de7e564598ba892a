// The file with the key of an encrypted backup: 64 hex digits, for its owner alone.
#pragma once

#include "base/error/error.h"

#include <string>

namespace ladder::cli {

Result<std::string> read_backup_key(
    const std::string& path);                     // kNotFound; kInvalidRequest when others may read it, or it is none
Status make_backup_key(const std::string& path);  // kConflict when the file is there

}  // namespace ladder::cli
