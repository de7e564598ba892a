// The key file of an encrypted backup: 64 hex digits, readable by its owner only.
#pragma once

#include "base/error/error.h"

#include <string>

namespace ladder::app {

Result<std::string> read_backup_key(
    const std::string& path);                     // kNotFound; kInvalidRequest if others may read it or it holds no key
Status make_backup_key(const std::string& path);  // kConflict if the file exists

}  // namespace ladder::app
