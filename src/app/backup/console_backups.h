// Provides the console with the schedule of backups and its outcome.
#pragma once

#include "app/backup/backup_service.h"
#include "console/backups.h"

#include <string>

namespace ladder::app {

class ConsoleBackups final : public console::Backups {
 public:
  // `location`: of the store. `administrator`: the owner who runs the server.
  ConsoleBackups(BackupPlans& plans, const BackupService& service, std::string location, server::Access administrator)
      : plans_(plans), service_(service), location_(std::move(location)), administrator_(std::move(administrator)) {}

  bool is_administrator(const server::Access& owner) const override;
  Result<console::BackupState> state(const server::Access& owner) override;
  Status save(const server::Access& owner, const console::BackupSchedule& schedule) override;
  Status begin(const server::Access& owner) override;
  Result<std::int64_t> failures(const server::Access& owner) override;

 private:
  Status check(const server::Access& owner) const;

  BackupPlans& plans_;
  const BackupService& service_;
  const std::string location_;
  const server::Access administrator_;
};

}  // namespace ladder::app
