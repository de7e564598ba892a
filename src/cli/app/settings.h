// ladder.toml: lines of  key = "value",  key = ["a", "b"]  and  key = true  with comments and blank lines between them, and
// nothing else of TOML. The keys are those of setting_table.h.
#pragma once

#include "base/error/error.h"

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::cli {

class ConfigFile {
 public:
  std::optional<std::string> value(std::string_view key) const;  // the first of a list
  std::vector<std::string> values(std::string_view key) const;   // empty when it is not set
  int line(std::string_view key) const;                          // where it is set, from 1 on; 0: it is not
  const std::string& name() const { return name_; }              // of the file; empty: there is none

 private:
  friend Result<ConfigFile> parse_config(std::string_view text, std::string_view name);
  struct Setting {
    std::vector<std::string> values;
    int line = 0;
  };
  std::map<std::string, Setting, std::less<>> settings_;
  std::string name_;
};

// kNotFound for a file that cannot be read; kInvalidRequest, naming file and line: not a setting, a key that is unknown (with the
// nearest there is) or comes twice, a list where one value belongs.
Result<ConfigFile> parse_config(std::string_view text, std::string_view name);
Result<ConfigFile> read_config_file(const std::string& path);

// Finds the store and its owner: flags first, then LADDER_* variables, then ladder.toml, then the defaults.

// Flags that every command takes.
struct CommonFlags {
  std::optional<std::string> db, owner;
  bool json = false;
};

struct Settings {
  std::string location;  // a path, or postgres://…
  std::string owner;
  std::string token;                               // LADDER_TOKEN; used only when a command is told to
  std::string state_folder;                        // for what belongs to this machine alone; empty: none is known
  bool db_by_flag = false, owner_by_flag = false;  // so that a printed command can repeat them
};

using Environment = std::function<std::optional<std::string>(const char* name)>;
std::optional<std::string> variable_of_process(const char* name);  // nothing when it is empty

// The file that LADDER_CONFIG names, else the user's, else an empty one.
Result<ConfigFile> load_config(const Environment& environment);

// A path with HOME for a leading "~/", which shells do not fill in behind a "=" or inside of a file.
std::string with_home(std::string_view path, const Environment& environment);

// kInvalidRequest for a configuration file that cannot be read or understood; kNotSetUp when no place for a store is known.
Result<Settings> resolve_settings(const CommonFlags& flags, const Environment& environment);

// A location fit to show: without the password of a postgres:// address.
std::string shown_location(std::string_view location);
// Sixteen digits that tell this location from others, for the names of folders that belong to it on this machine.
std::string location_digest(std::string_view location);

}  // namespace ladder::cli
