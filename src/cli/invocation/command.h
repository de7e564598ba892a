// The interface of a command: its arguments and its action. Each command has its own file and is listed in
// command_table.cpp.
#pragma once

#include "base/error/error.h"
#include "cli/invocation/session.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

// The arguments of a command, filled while the command line is parsed. The targets must outlive the parsing.
class Arguments {
 public:
  virtual ~Arguments() = default;
  virtual void word(std::string_view name, std::string& into, std::string_view help) = 0;  // required
  virtual void optional_word(std::string_view name, std::optional<std::string>& into, std::string_view help) = 0;
  // One or more.
  virtual void words(std::string_view name, std::vector<std::string>& into, std::string_view help) = 0;
  virtual void any_words(std::string_view name, std::vector<std::string>& into, std::string_view help) = 0;  // zero or more
  virtual void value(std::string_view flag, std::string_view value_name, std::optional<std::string>& into,
                     std::string_view help) = 0;
  virtual void required_value(std::string_view flag, std::string_view value_name, std::string& into, std::string_view help) = 0;
  // A repeatable flag. `take` receives the values of all such flags of the command in the order in which they were
  // given.
  using Take = std::function<Status(const std::string& value)>;
  virtual void each_value(std::string_view flag, std::string_view value_name, Take take, std::string_view help) = 0;
  virtual void flag(std::string_view flag, bool& into, std::string_view help) = 0;
  virtual void example(std::string_view line) = 0;  // shown at the end of the help page
  // A list that the help page and the manual show before the examples.
  struct Fact {
    std::string_view name, text;
  };
  virtual void facts(std::string_view title, std::span<const Fact> list) = 0;
};

class Command {
 public:
  virtual ~Command() = default;
  virtual void declare(Arguments& arguments) = 0;
  virtual bool needs_settings() const { return true; }  // false: works with invalid settings, too
  virtual Result<int> run(Context& context) = 0;        // returns the exit code
};

struct CommandEntry {
  std::string_view group;    // "connection"; empty for a command of one word
  std::string_view name;     // "add"
  std::string_view summary;  // one line
  std::unique_ptr<Command> (*make)();
  bool hidden = false;
};

struct GroupEntry {
  std::string_view name;
  std::string_view summary;
};

std::span<const CommandEntry> all_commands();
std::span<const GroupEntry> all_groups();

// --- one function per command, each in its own file ---
std::unique_ptr<Command> make_help();
std::unique_ptr<Command> make_init();
std::unique_ptr<Command> make_source_add();
std::unique_ptr<Command> make_connection_add();
std::unique_ptr<Command> make_connection_list();
std::unique_ptr<Command> make_connection_show();
std::unique_ptr<Command> make_connection_rename();
std::unique_ptr<Command> make_connection_merge();
std::unique_ptr<Command> make_ingest();
std::unique_ptr<Command> make_import();
std::unique_ptr<Command> make_source_infer();
std::unique_ptr<Command> make_export();
std::unique_ptr<Command> make_delete();
std::unique_ptr<Command> make_erase();
std::unique_ptr<Command> make_doctor();
std::unique_ptr<Command> make_grant_create();
std::unique_ptr<Command> make_grant_list();
std::unique_ptr<Command> make_grant_show();
std::unique_ptr<Command> make_grant_revoke();
std::unique_ptr<Command> make_grant_budget();
std::unique_ptr<Command> make_ledger();
std::unique_ptr<Command> make_token_create();
std::unique_ptr<Command> make_token_list();
std::unique_ptr<Command> make_token_revoke();
std::unique_ptr<Command> make_read();
std::unique_ptr<Command> make_records();
std::unique_ptr<Command> make_show();
std::unique_ptr<Command> make_search();
std::unique_ptr<Command> make_schema();
std::unique_ptr<Command> make_serve();
std::unique_ptr<Command> make_open();
std::unique_ptr<Command> make_ask();
std::unique_ptr<Command> make_more();
std::unique_ptr<Command> make_owner_list();
std::unique_ptr<Command> make_owner_add();
std::unique_ptr<Command> make_owner_suspend();
std::unique_ptr<Command> make_owner_resume();
std::unique_ptr<Command> make_owner_limit();
std::unique_ptr<Command> make_owner_export();
std::unique_ptr<Command> make_owner_delete();
std::unique_ptr<Command> make_owner_move();
std::unique_ptr<Command> make_owner_link();
std::unique_ptr<Command> make_owner_passphrase();
std::unique_ptr<Command> make_owner_sessions();
std::unique_ptr<Command> make_connect();
std::unique_ptr<Command> make_client_add();
std::unique_ptr<Command> make_approve();
std::unique_ptr<Command> make_panic();
std::unique_ptr<Command> make_mcp();
std::unique_ptr<Command> make_service_install();
std::unique_ptr<Command> make_service_status();
std::unique_ptr<Command> make_service_remove();
std::unique_ptr<Command> make_health();
std::unique_ptr<Command> make_config_show();
std::unique_ptr<Command> make_backup();
std::unique_ptr<Command> make_restore();
std::unique_ptr<Command> make_sync_add();
std::unique_ptr<Command> make_sync_list();
std::unique_ptr<Command> make_sync_run();
std::unique_ptr<Command> make_sync_test();
std::unique_ptr<Command> make_sync_pause();
std::unique_ptr<Command> make_sync_resume();
std::unique_ptr<Command> make_sync_password();
std::unique_ptr<Command> make_sync_remove();
std::unique_ptr<Command> make_notify_add();
std::unique_ptr<Command> make_notify_list();
std::unique_ptr<Command> make_notify_test();
std::unique_ptr<Command> make_notify_remove();
std::unique_ptr<Command> make_completions();
std::unique_ptr<Command> make_man();
std::unique_ptr<Command> make_complete();
std::unique_ptr<Command> make_errors();
std::unique_ptr<Command> make_routes();
std::unique_ptr<Command> make_settings();

}  // namespace ladder::cli
