// Implements store/backup.h for SQLite.
#pragma once

#include "store/backup.h"

#include <string>

namespace ladder::store::sqlite {

Result<BackupInfo> back_up(const std::string& location, const TakeChunk& take);
Status restore(const std::string& location, const RestoreSource& from, Instant now);

}  // namespace ladder::store::sqlite
