// Implements store/engines/backup.h for SQLite.
#pragma once

#include "base/time/time.h"
#include "store/backup_parts.h"

#include <string>

namespace ladder::store::sqlite {

Result<BackupInfo> back_up(const std::string& location, const TakeChunk& take);
Status restore(const std::string& location, const RestoreSource& from, Instant now);

}  // namespace ladder::store::sqlite
