// Records the commands' declarations as data. command_line.cpp passes the same declarations to CLI11.
#include "cli/invocation/command_table.h"

#include "cli/help/topics.h"
#include "cli/invocation/command.h"

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
  if (group == "connection" && (argument.name == "FROM" || argument.name == "INTO")) return Values::kConnections;
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
  if (argument.name == "TOPIC") {
    for (const Topic& topic : topics()) argument.choices.emplace_back(topic.name());
  }
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
    GroupEntry{"source", "add, infer: the kinds of data that Ladder can store"},
    GroupEntry{"connection", "add, list, show, rename, merge: the accounts of a source"},
    GroupEntry{"sync", "add, list, run, test, pause, resume, password, remove: sources that Ladder keeps current"},
    GroupEntry{"notify", "add, list, test, remove: where Ladder sends notifications"},
    GroupEntry{"grant", "create, list, show, budget, revoke: what clients can read"},
    GroupEntry{"token", "create, list, revoke: the owner's own tokens"},
    GroupEntry{"client", "add: agents that cannot register themselves"},
    GroupEntry{"config", "show: every setting, its value and its origin"},
    GroupEntry{"service", "install, status, remove: run as a user service (systemd)"},
    GroupEntry{"owner",
               "list, add, suspend, resume, limit, export, delete, move: the owners of a store; link, passphrase, "
               "sessions: how an owner signs in"},
};

constexpr std::array kCommands = {
    CommandEntry{"", "help", "explain a topic, or a command", make_help},
    CommandEntry{"", "init", "create or upgrade the store", make_init},
    CommandEntry{"source", "add", "add a source declaration", make_source_add},
    CommandEntry{"source", "infer", "propose a declaration for a table (CSV, JSON)", make_source_infer},
    CommandEntry{"connection", "add", "add an account of a source", make_connection_add},
    CommandEntry{"connection", "list", "list the connections", make_connection_list},
    CommandEntry{"connection", "show", "show one connection and its contents", make_connection_show},
    CommandEntry{"connection", "rename", "give a connection another name", make_connection_rename},
    CommandEntry{"connection", "merge", "move the records of a connection into another one", make_connection_merge},
    CommandEntry{"", "import", "import files, folders and archives", make_import},
    CommandEntry{"sync", "add", "keep a mail account, calendars, contacts or a folder current", make_sync_add},
    CommandEntry{"sync", "list", "list the synced sources and the outcome of their last runs", make_sync_list},
    CommandEntry{"sync", "run", "sync one source now, or all of them", make_sync_run},
    CommandEntry{"sync", "test", "sign in to a source and list its folders, without storing anything", make_sync_test},
    CommandEntry{"sync", "pause", "stop syncing a source until it is resumed", make_sync_pause},
    CommandEntry{"sync", "resume", "sync a paused source again", make_sync_resume},
    CommandEntry{"sync", "password", "set a new password for a source", make_sync_password},
    CommandEntry{"sync", "remove", "stop syncing a source; its records are kept", make_sync_remove},
    CommandEntry{"notify", "add", "add a channel for notifications: e-mail, ntfy or a webhook", make_notify_add},
    CommandEntry{"notify", "list", "list the channels and the outcome of their last messages", make_notify_list},
    CommandEntry{"notify", "test", "send a test through a channel", make_notify_test},
    CommandEntry{"notify", "remove", "remove a channel", make_notify_remove},
    CommandEntry{"", "ingest", "store RECORD lines (NDJSON)", make_ingest},
    CommandEntry{"grant", "create", "give a client read access; print its token once", make_grant_create},
    CommandEntry{"grant", "list", "list the grants", make_grant_list},
    CommandEntry{"grant", "show", "show one grant in full", make_grant_show},
    CommandEntry{"grant", "budget", "limit how many characters a client may read per day", make_grant_budget},
    CommandEntry{"grant", "revoke", "revoke grants, by id or all of a client", make_grant_revoke},
    CommandEntry{"token", "create", "create an owner token for REST; shown once", make_token_create},
    CommandEntry{"token", "list", "list the owner tokens", make_token_list},
    CommandEntry{"token", "revoke", "revoke owner tokens", make_token_revoke},
    CommandEntry{"", "schema", "list streams and fields, and how each can be used", make_schema},
    CommandEntry{"", "search", "find records by the words in their text", make_search},
    CommandEntry{"", "ask", "show the passages that answer a question, and an answer if a model is set", make_ask},
    CommandEntry{"", "more", "show the next page of the last list", make_more},
    CommandEntry{"", "records", "list the records of a stream, or its changes", make_records},
    CommandEntry{"", "show", "show a record and its attachments, and save them", make_show},
    CommandEntry{"", "read", "read a window of one field of a record", make_read},
    CommandEntry{"", "serve", "run the server for REST and MCP clients", make_serve},
    CommandEntry{"", "open", "open the console in the browser, signed in", make_open},
    CommandEntry{"", "connect", "show how to connect an AI app to this server", make_connect},
    CommandEntry{"", "approve", "allow or deny an access request by its code", make_approve},
    CommandEntry{"client", "add", "add a client with an id of your choice", make_client_add},
    CommandEntry{"", "ledger", "show who read what, exactly", make_ledger},
    CommandEntry{"", "panic", "revoke every client's access immediately", make_panic},
    CommandEntry{"owner", "list", "list the owners of the store", make_owner_list},
    CommandEntry{"owner", "add", "add an owner to the store", make_owner_add},
    CommandEntry{"owner", "suspend", "end an owner's access at once, and keep the data", make_owner_suspend},
    CommandEntry{"owner", "resume", "give a suspended owner access again", make_owner_resume},
    CommandEntry{"owner", "limit", "show or set how much an owner may store and request", make_owner_limit},
    CommandEntry{"owner", "export", "export all data of an owner", make_owner_export},
    CommandEntry{"owner", "delete", "delete an owner and all of its data permanently", make_owner_delete},
    CommandEntry{"owner", "move", "move an owner to another store while it is served", make_owner_move},
    CommandEntry{"owner", "link", "print a one-time sign-in link, valid for 15 minutes", make_owner_link},
    CommandEntry{"owner", "passphrase", "set the owner's passphrase", make_owner_passphrase},
    CommandEntry{"owner", "sessions", "list signed-in browsers, and sign them out", make_owner_sessions},
    CommandEntry{"", "mcp", "serve one MCP client over standard input and output", make_mcp},
    CommandEntry{"service", "install", "set up a systemd user service for `ladder serve`, and start it", make_service_install},
    CommandEntry{"service", "status", "show whether the service is installed and running", make_service_status},
    CommandEntry{"service", "remove", "stop and remove the service; the store is kept", make_service_remove},
    CommandEntry{"", "health", "check a running server and its store", make_health},
    CommandEntry{"config", "show", "show every setting, its value and its origin", make_config_show},
    CommandEntry{"", "completions", "print a completion script for bash, zsh or fish", make_completions},
    CommandEntry{"", "man", "print the manual page", make_man},
    CommandEntry{"", "complete", "list completions at the cursor; used by the scripts", make_complete, true},
    CommandEntry{"", "export", "export all data: declarations, records, blobs", make_export},
    CommandEntry{"", "backup", "back up the store while it is in use; verify, list, key", make_backup},
    CommandEntry{"", "restore", "restore a backup to a new store", make_restore},
    CommandEntry{"", "delete", "permanently delete single records", make_delete},
    CommandEntry{"", "erase", "permanently delete a connection and all its data", make_erase},
    CommandEntry{"", "doctor", "find problems with the installation, and how to fix them", make_doctor},
    CommandEntry{"", "errors", "print the table of errors", make_errors, true},
    CommandEntry{"", "routes", "print the tables of routes", make_routes, true},
    CommandEntry{"", "settings", "print the table of settings", make_settings, true},
};

}  // namespace

std::span<const CommandEntry> all_commands() { return kCommands; }
std::span<const GroupEntry> all_groups() { return kGroups; }

}  // namespace ladder::cli
