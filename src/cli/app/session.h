// A store opened for one command, and the resource server over it. session.cpp is the one file of cli/ that opens stores.
#pragma once

#include "base/error/error.h"
#include "cli/app/settings.h"
#include "cli/terminal/console.h"
#include "server/resource_server.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::auth {
class AuthorizationServer;
}

namespace ladder::cli {

// An answer for a client waits until the system has its entry in the ledger (kUsual), or until the disk does.
enum class LedgerMode : std::uint8_t { kUsual, kDurable };

// kInvalidRequest for any word but usual and durable; usual where there is none.
Result<LedgerMode> parse_ledger_mode(const std::optional<std::string>& word);

class Session {
 public:
  ~Session();
  // kNotSetUp when there is no usable store.
  static Result<std::unique_ptr<Session>> open(const Settings& settings, LedgerMode ledger = LedgerMode::kUsual);
  // Creates or migrates the store, and the owner in it.
  static Result<std::unique_ptr<Session>> create(const Settings& settings);

  server::ResourceServer& server() { return server_; }
  auth::AuthorizationServer& authorization() { return *authorization_; }
  std::string_view engine() const { return store_->engine(); }
  Result<server::Access> owner() { return server_.owner_at_machine(owner_name_); }

 private:
  Session(std::unique_ptr<store::Store> store, std::string owner_name, server::LedgerOptions ledger);

  std::unique_ptr<store::Store> store_;
  server::ResourceServer server_;
  std::unique_ptr<auth::AuthorizationServer> authorization_;
  std::string owner_name_;
};

class Command;

// A command read again with the settings that the file and the variables have now; its flags stay as they were given.
struct RenewedCommand {
  std::shared_ptr<Command> command;
  Settings settings;
  Environment environment;
  std::function<void(Error&)> name_origin;  // says of an error about a setting where that setting comes from now
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

  // The words after `ladder` that repeat the flags which say where the store is, as a shell would read them.
  std::string place_flags() const;

  Console& console;
  const Settings& settings;
  std::string version;                            // of Ladder
  Environment environment;                        // for what only one command knows; an empty variable counts as none
  std::function<Result<RenewedCommand>()> renew;  // for a command that runs on while its settings change
};

}  // namespace ladder::cli
