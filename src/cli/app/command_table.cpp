// Records the commands' declarations as data. command_line.cpp passes the same declarations to CLI11.
#include "cli/app/command_table.h"

#include "cli/app/command.h"

#include <algorithm>
#include <array>

namespace ladder::cli {
namespace {

// Splits "flat|full" into flat, full; returns an empty list if the name is not a list of plain words.
std::vector<std::string> choices_in(std::string_view value_name) {
  std::vector<std::string> choices;
  if (value_name.find('|') == std::string_view::npos) return choices;
  for (std::size_t at = 0; at <= value_name.size();) {
    const std::size_t end = std::min(value_name.find('|', at), value_name.size());
    choices.emplace_back(value_name.substr(at, end - at));
    at = end + 1;
  }
  const auto plain = [](const std::string& word) {
    return !word.empty() && std::ranges::all_of(word, [](char c) { return (c >= 'a' && c <= 'z') || c == '-'; });
  };
  return std::ranges::all_of(choices, plain) ? choices : std::vector<std::string>();
}

// Argument and value names have the same meaning in every command; only `ID` and a few others depend on the command.
Values values_by_name(const CommandPage& command, const ArgumentPage& argument) {
  const std::string& value = argument.is_flag() ? argument.value_name : argument.name;
  const std::string& group = command.group;
  if (argument.name == "--db" || value == "FILE" || value == "PATH" || value == "FILE|FOLDER") return Values::kFiles;
  if (value == "FOLDER") return Values::kFolders;
  if (value == "FORMAT") return Values::kFormats;
  if (argument.name == "ID" && group == "grant") return Values::kGrants;
  if (argument.name == "ID" && group == "token") return Values::kTokens;
  if (argument.name == "--client" && command.name == "revoke") return Values::kClients;
  if (argument.name == "ID" && group.empty() && (command.name == "read" || command.name == "show")) return Values::kRecords;
  if (argument.name == "ID" || argument.name == "CONNECTION_ID" || argument.name == "--connection") return Values::kConnections;
  if (argument.name == "KEY" && group == "connection") return Values::kSources;
  if (argument.name == "--stream" && group == "grant") return Values::kStreamFields;
  if (argument.name == "--stream" || argument.name == "STREAM") return Values::kStreams;
  if (argument.name == "FIELD") return Values::kFieldOf;
  if (argument.name == "--fields") return Values::kFieldList;
  if (argument.name == "--filter") return Values::kFieldFilter;
  return Values::kText;
}

void settle_values(const CommandPage& command, ArgumentPage& argument) {
  argument.choices = choices_in(argument.is_flag() ? argument.value_name : argument.name);
  if (argument.name == "--token") argument.choices = {"env"};
  if (argument.name == "SHELL") argument.choices = {"bash", "zsh", "fish"};
  argument.values = argument.choices.empty() ? values_by_name(command, argument) : Values::kChoices;
}

class Recorder final : public Arguments {
 public:
  explicit Recorder(CommandPage& page) : page_(page) {}

  void word(std::string_view name, std::string&, std::string_view help) override { add_word(name, help, true, false); }
  void optional_word(std::string_view name, std::optional<std::string>&, std::string_view help) override {
    add_word(name, help, false, false);
  }
  void words(std::string_view name, std::vector<std::string>&, std::string_view help) override {
    add_word(name, help, true, true);
  }
  void any_words(std::string_view name, std::vector<std::string>&, std::string_view help) override {
    add_word(name, help, false, true);
  }
  void value(std::string_view flag, std::string_view value_name, std::optional<std::string>&, std::string_view help) override {
    add_flag(flag, value_name, help, false, false);
  }
  void required_value(std::string_view flag, std::string_view value_name, std::string&, std::string_view help) override {
    add_flag(flag, value_name, help, true, false);
  }
  void each_value(std::string_view flag, std::string_view value_name, Take, std::string_view help) override {
    add_flag(flag, value_name, help, false, true);
  }
  void flag(std::string_view flag, bool&, std::string_view help) override { add_flag(flag, "", help, false, false); }
  void example(std::string_view line) override { page_.examples.emplace_back(line); }
  void facts(std::string_view title, std::span<const Fact> list) override {
    page_.facts_title = title;
    for (const Fact& fact : list) page_.facts.emplace_back(fact.name, fact.text);
  }

 private:
  void add_word(std::string_view name, std::string_view help, bool required, bool repeated) {
    page_.words.push_back({std::string(name), "", std::string(help), required, repeated, Values::kText, {}});
    settle_values(page_, page_.words.back());
  }
  void add_flag(std::string_view flag, std::string_view value_name, std::string_view help, bool required, bool repeated) {
    page_.flags.push_back({std::string(flag), std::string(value_name), std::string(help), required, repeated, Values::kText, {}});
    settle_values(page_, page_.flags.back());
  }

  CommandPage& page_;
};

}  // namespace

std::vector<CommandPage> command_table() {
  std::vector<CommandPage> table;
  for (const CommandEntry& entry : all_commands()) {
    CommandPage& page = table.emplace_back(CommandPage{
        std::string(entry.group), std::string(entry.name), std::string(entry.summary), entry.hidden, {}, {}, {}, {}, {}});
    Recorder recorder(page);
    entry.make()->declare(recorder);
  }
  return table;
}

std::vector<ArgumentPage> common_flags() {
  std::vector<ArgumentPage> flags;
  for (const CommonFlag& flag : kCommonFlags) {
    flags.push_back(
        {std::string(flag.name), std::string(flag.value_name), std::string(flag.help), false, false, Values::kText, {}});
    settle_values({}, flags.back());
  }
  return flags;
}

// Lists every command in the order in which help shows them.

namespace {

constexpr std::array kGroups = {
    GroupEntry{"source", "add, infer: what kinds of data there are"},
    GroupEntry{"connection", "add, list, show: the accounts of a source"},
    GroupEntry{"grant", "create, list, show, budget, revoke: what clients may read"},
    GroupEntry{"token", "create, list, revoke: the owner's own tokens"},
    GroupEntry{"client", "add: agents that can neither register nor be looked up"},
    GroupEntry{"config", "show: every setting, its value and where it comes from"},
    GroupEntry{"service", "install, status, remove: serve while you are logged in (systemd)"},
    GroupEntry{"owner", "link, passphrase, sessions: how the owner signs in to the pages"},
};

constexpr std::array kCommands = {
    CommandEntry{"", "init", "create the store, or bring it up to date", make_init},
    CommandEntry{"source", "add", "accept a source declaration", make_source_add},
    CommandEntry{"source", "infer", "propose a declaration for a table (CSV, JSON)", make_source_infer},
    CommandEntry{"connection", "add", "add an account of a source", make_connection_add},
    CommandEntry{"connection", "list", "list the connections", make_connection_list},
    CommandEntry{"connection", "show", "show one connection and what it holds", make_connection_show},
    CommandEntry{"", "import", "bring in files, folders and archives that you really have", make_import},
    CommandEntry{"", "ingest", "store RECORD lines (NDJSON)", make_ingest},
    CommandEntry{"grant", "create", "let a client read part of the data; prints its token once", make_grant_create},
    CommandEntry{"grant", "list", "list the grants", make_grant_list},
    CommandEntry{"grant", "show", "show one grant in full", make_grant_show},
    CommandEntry{"grant", "budget", "say how many chars a grant may be shown a day", make_grant_budget},
    CommandEntry{"grant", "revoke", "end grants at once, by their ids or all of a client", make_grant_revoke},
    CommandEntry{"token", "create", "make an owner token for REST; shown once", make_token_create},
    CommandEntry{"token", "list", "list the owner tokens", make_token_list},
    CommandEntry{"token", "revoke", "end owner tokens at once", make_token_revoke},
    CommandEntry{"", "schema", "what there is to read: streams, fields and what may be asked of them", make_schema},
    CommandEntry{"", "search", "find records by the words in their text", make_search},
    CommandEntry{"", "records", "list the records of a stream, or what changed", make_records},
    CommandEntry{"", "show", "show a whole record with its attachments, and save those", make_show},
    CommandEntry{"", "read", "read a window of one field of a record", make_read},
    CommandEntry{"", "serve", "answer REST and MCP clients over HTTP", make_serve},
    CommandEntry{"", "connect", "how an agent's host connects to this server by its address", make_connect},
    CommandEntry{"", "approve", "allow or deny a request by the code that a device or page shows", make_approve},
    CommandEntry{"client", "add", "let a client ask by an id of your choice", make_client_add},
    CommandEntry{"", "ledger", "who was shown what, to the char", make_ledger},
    CommandEntry{"", "panic", "end every client's access at once", make_panic},
    CommandEntry{"owner", "link", "print a link that signs the owner in, once, within 15 minutes", make_owner_link},
    CommandEntry{"owner", "passphrase", "set the passphrase that the owner signs in with", make_owner_passphrase},
    CommandEntry{"owner", "sessions", "list the browsers that are signed in, and end their sessions", make_owner_sessions},
    CommandEntry{"", "mcp", "answer one MCP client over standard input and output", make_mcp},
    CommandEntry{"service", "install", "set up a systemd user service for `ladder serve`, and start it", make_service_install},
    CommandEntry{"service", "status", "say whether the service is set up and runs", make_service_status},
    CommandEntry{"service", "remove", "stop the service and remove its unit; the store stays", make_service_remove},
    CommandEntry{"", "health", "ask a running server whether it and its store answer", make_health},
    CommandEntry{"config", "show", "show every setting, its value and where it comes from", make_config_show},
    CommandEntry{"", "completions", "print a script that completes commands in bash, zsh or fish", make_completions},
    CommandEntry{"", "man", "print the manual page", make_man},
    CommandEntry{"", "complete", "what may stand at the cursor; for the completions", make_complete, true},
    CommandEntry{"", "export", "write everything out again: declarations, records, blobs", make_export},
    CommandEntry{"", "backup", "back up the whole store while it is used; verify, list, key", make_backup},
    CommandEntry{"", "restore", "make the store of a backup where there is none", make_restore},
    CommandEntry{"", "erase", "remove a connection for good, with everything in it", make_erase},
    CommandEntry{"", "doctor", "what is wrong with the set-up, and how to mend it", make_doctor},
    CommandEntry{"", "errors", "print the table of errors", make_errors, true},
    CommandEntry{"", "routes", "print the tables of routes", make_routes, true},
};

}  // namespace

std::span<const CommandEntry> all_commands() { return kCommands; }
std::span<const GroupEntry> all_groups() { return kGroups; }

}  // namespace ladder::cli
