// A store opened for one command, and its resource server. In cli/, only session.cpp and upkeep/backup.cpp open
// stores.
#pragma once

#include "app/backup/backup_plan.h"
#include "base/error/error.h"
#include "cli/invocation/settings.h"
#include "cli/terminal/console.h"
#include "notify/notify_store.h"
#include "server/resource_server.h"
#include "sync/sync_store.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::auth {
class AuthorizationServer;
}

namespace ladder::cli {

// A response to a client waits until its ledger entry is written to the operating system (kUsual), to the disk (kDurable)
// or to the store (kStore).
enum class LedgerMode : std::uint8_t { kUsual, kDurable, kStore };

// Returns kUsual if there is no word, and kInvalidRequest for any word but usual, durable and store.
Result<LedgerMode> parse_ledger_mode(const std::optional<std::string>& word);

class Session {
 public:
  ~Session();
  // Returns kNotSetUp if there is no usable store.
  static Result<std::unique_ptr<Session>> open(const Settings& settings, LedgerMode ledger = LedgerMode::kUsual);
  // The same, but creates a missing store at the default location and says so. A store that the user named must exist, since a
  // typing mistake would create another one.
  static Result<std::unique_ptr<Session>> open_or_create(Console& console, const Settings& settings,
                                                         LedgerMode ledger = LedgerMode::kUsual);
  // Creates or migrates the store, and creates the owner in it.
  static Result<std::unique_ptr<Session>> create(const Settings& settings);

  server::ResourceServer& server() { return server_; }
  auth::AuthorizationServer& authorization() { return *authorization_; }
  sync::SyncStore& sync_store() { return sync_store_; }
  notify::NotifyStore& notify_store() { return notify_store_; }
  app::BackupPlans& backup_plans() { return backup_plans_; }
  std::string_view engine() const { return store_->engine(); }
  Result<server::Access> owner() { return server_.accesses().local_owner(owner_name_); }
  // The owner who runs the server: backups and synced sources are set up on that owner's pages. Returns nullopt if no owner was
  // chosen and the store has none of the default name, or if that owner is suspended.
  Result<std::optional<server::Access>> administrator();

 private:
  Session(std::unique_ptr<store::Store> store, const Settings& settings, server::LedgerOptions ledger);

  std::unique_ptr<store::Store> store_;
  server::ResourceServer server_;
  std::unique_ptr<auth::AuthorizationServer> authorization_;
  sync::SyncStore sync_store_;
  notify::NotifyStore notify_store_;
  app::BackupPlans backup_plans_;
  std::string owner_name_;
  bool default_owner_;
};

class Command;

// A command parsed again with the current settings of the file and the environment. Its flags stay as given.
struct RenewedCommand {
  std::shared_ptr<Command> command;
  Settings settings;
  Environment environment;
  std::function<void(Error&)> add_setting_origin;  // adds the origin of the setting to an error about it
};

// The environment of a running command.
class Context {
 public:
  Context(Console& console_to_use, const Settings& settings_to_use, std::string_view version_of_program,
          Environment environment_to_use)
      : console(console_to_use),
        settings(settings_to_use),
        version(version_of_program),
        environment(std::move(environment_to_use)) {}

  // The flags that select the store, for printed commands; the second form is quoted for a shell.
  std::vector<std::string> store_words() const;
  std::string store_flags() const;

  Console& console;
  const Settings& settings;
  std::string version;                            // Ladder's version
  Environment environment;                        // for variables that only one command uses; an empty variable counts as unset
  std::function<Result<RenewedCommand>()> renew;  // for a long-running command whose settings may change
};

}  // namespace ladder::cli
