// Every command there is, in the order in which help shows them.
#include "cli/command.h"
#include "cli/upkeep_commands.h"

#include <array>

namespace ladder::cli {
namespace {

constexpr std::array kGroups = {
    GroupEntry{"source", "add, infer: what kinds of data there are"},
    GroupEntry{"connection", "add, list, show: the accounts of a source"},
    GroupEntry{"grant", "create, list, show, revoke: what clients may read"},
    GroupEntry{"token", "create, list, revoke: the owner's own tokens"},
    GroupEntry{"config", "show: every setting, its value and where it comes from"},
    GroupEntry{"service", "install, status, remove: serve while you are logged in (systemd)"},
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
    CommandEntry{"grant", "revoke", "end grants at once, by their ids or all of a client", make_grant_revoke},
    CommandEntry{"token", "create", "make an owner token for REST; shown once", make_token_create},
    CommandEntry{"token", "list", "list the owner tokens", make_token_list},
    CommandEntry{"token", "revoke", "end owner tokens at once", make_token_revoke},
    CommandEntry{"", "schema", "what there is to read: streams, fields and what may be asked of them", make_schema},
    CommandEntry{"", "search", "find records by the words in their text", make_search},
    CommandEntry{"", "records", "list the records of a stream, or what changed", make_records},
    CommandEntry{"", "read", "read a window of one field of a record", make_read},
    CommandEntry{"", "serve", "answer REST and MCP clients over HTTP", make_serve},
    CommandEntry{"", "mcp", "answer one MCP client over standard input and output", make_mcp},
    CommandEntry{"service", "install", "set up a systemd user service for `ladder serve`, and start it", make_service_install},
    CommandEntry{"service", "status", "say whether the service is set up and answers", make_service_status},
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
