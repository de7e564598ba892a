// ladder backup schedule and ladder backup status: the backups that `ladder serve` makes.
#pragma once

#include "cli/invocation/command.h"

#include <optional>
#include <string>

namespace ladder::cli {

struct ScheduleWords {
  std::string target;
  std::optional<std::string> every, at, key_file;
  std::size_t keep = 0;  // 0: all
};

Result<int> set_backup_schedule(Context& context, const ScheduleWords& words);
// Asks a running server for a backup by its schedule's settings.
Result<int> request_backup(Context& context);
Result<int> show_backup_schedule(Context& context);

}  // namespace ladder::cli
