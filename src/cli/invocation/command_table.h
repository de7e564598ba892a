// Defines the flags that every command takes, for the parser, the completions and the manual.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::cli {

struct CommonFlag {
  std::string_view name, value_name, help;
};

inline constexpr CommonFlag kDbFlag = {
    "--db", "PATH|postgres://…", "the store (LADDER_DB, or db in ladder.toml; default: ladder.db in the user's data folder)"};
inline constexpr CommonFlag kOwnerFlag = {"--owner", "NAME",
                                          "the owner of the data (LADDER_OWNER, or owner in ladder.toml; default: local)"};
inline constexpr CommonFlag kJsonFlag = {"--json", "", "machine output"};
inline constexpr CommonFlag kHelpFlag = {"--help", "", "show this help"};
inline constexpr CommonFlag kVersionFlag = {"--version", "", "show the version"};
inline constexpr std::array kCommonFlags = {kDbFlag, kOwnerFlag, kJsonFlag, kHelpFlag, kVersionFlag};

// The arguments of every command as data, recorded from the commands' own declarations so that completions and the
// manual match the program.

// The kind of value that an argument takes, for completions.
enum class Values {
  kText,
  kFiles,
  kFolders,
  kChoices,      // one of a few words
  kFormats,      // listed by ladder-extract
  kConnections,  // this and the following kinds are looked up in the store
  kSources,      // keys of sources
  kGrants,
  kTokens,   // owner tokens
  kClients,  // clients with a grant
  kStreams,
  kStreamFields,  // [CONNECTION/]STREAM[:field,…]
  kRecords,       // CONNECTION/STREAM:KEY
  kFieldOf,       // a field of the record or stream in the preceding argument
  kFieldList,     // several, separated by commas
  kFieldFilter,   // FIELD=VALUE
};

struct ArgumentPage {
  std::string name;        // "--offset", or "ID"
  std::string value_name;  // "N"; empty for a flag without a value and for words
  std::string help;
  bool required = false;
  bool repeated = false;
  Values values = Values::kText;
  std::vector<std::string> choices;  // for kChoices

  bool is_flag() const { return name.starts_with("-"); }
  bool takes_value() const { return !is_flag() || !value_name.empty(); }
};

struct CommandPage {
  std::string group, name, summary;
  bool hidden = false;
  std::vector<ArgumentPage> words, flags;
  std::vector<std::string> examples;
  std::string facts_title = {};
  std::vector<std::pair<std::string, std::string>> facts = {};  // a name and what it means

  std::string path() const { return group.empty() ? name : group + " " + name; }
};

std::vector<CommandPage> command_table();  // in help order
std::vector<ArgumentPage> common_flags();  // --db, --owner, --json, --help, --version

}  // namespace ladder::cli
