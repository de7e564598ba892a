// Reads ladder.toml. setting_table.h defines its keys; all are at the top level.
#pragma once

#include "base/error/error.h"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

class ConfigFile {
 public:
  std::optional<std::string> value(std::string_view key) const;  // the first element of a list
  std::vector<std::string> values(std::string_view key) const;   // empty if it is not set
  int line(std::string_view key) const;                          // the line that sets it, from 1; 0 if not set
  const std::string& name() const { return name_; }              // the file's name; empty if there is no file

 private:
  friend Result<ConfigFile> parse_config(std::string_view text, std::string_view name);
  struct Setting {
    std::vector<std::string> values;
    int line = 0;
  };
  std::map<std::string, Setting, std::less<>> settings_;
  std::string name_;
};

// Returns kNotFound if the file cannot be read. Returns kInvalidRequest with file and line for a line that is not a
// setting, for a key that is unknown (with the nearest known key) or repeated, and for a list where one value is
// expected.
Result<ConfigFile> parse_config(std::string_view text, std::string_view name);
Result<ConfigFile> read_config_file(const std::string& path);

// Resolves the store and its owner: flags first, then LADDER_* variables, then ladder.toml, then the defaults.

// The flags that every command takes.
struct CommonFlags {
  std::optional<std::string> db, owner;
  bool json = false;
};

struct Settings {
  std::string location;  // a path, or postgres://…
  std::string owner;
  std::string token;                               // LADDER_TOKEN; used only on request
  std::optional<std::size_t> db_connections;       // of this program to PostgreSQL, at most
  std::string state_folder;                        // folder for this machine's state; empty if unknown
  bool db_by_flag = false, owner_by_flag = false;  // so that a printed command can repeat them
  bool default_location = false;                   // the location was not chosen
  bool default_owner = false;                      // the owner was not chosen
};

using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> variable_of_process(const char* name);  // nullopt if it is empty

// Loads the file named by LADDER_CONFIG, else the user's file, else an empty one.
Result<ConfigFile> load_config(const Environment& environment);

// Expands a leading "~/" in a path. Shells do not expand it after "=" or in a file.
std::string with_home(std::string_view path, const Environment& environment);

// Returns kInvalidRequest for a configuration file that cannot be read or parsed, and kNotSetUp if no store location
// is known.
Result<Settings> resolve_settings(const CommonFlags& flags, const Environment& environment);

// Returns the location without the password of a postgres:// address.
std::string shown_location(std::string_view location);
// Returns sixteen hex digits that identify this location, for the names of its local folders.
std::string location_digest(std::string_view location);
// Returns the folder for files of one kind that the commands keep with the store: next to it, on the disk that the owner chose,
// or in the state folder for a remote one.
std::filesystem::path work_folder(const Settings& settings, std::string_view kind);

}  // namespace ladder::cli
