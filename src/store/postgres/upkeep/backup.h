// Implements store/engines/backup.h for PostgreSQL.
#pragma once

#include "base/time/time.h"
#include "store/backup_parts.h"

#include <string>

namespace ladder::store::postgres {

Result<BackupInfo> back_up(const std::string& location, const TakeChunk& take);
Status restore(const std::string& location, const RestoreSource& from, Instant now);

}  // namespace ladder::store::postgres
