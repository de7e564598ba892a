// Where the store is and whose data it is about: flags first, then LADDER_* variables, then ladder.toml, then the defaults.
#pragma once

#include "base/result.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

// What every command takes.
struct CommonFlags {
  std::optional<std::string> db, owner;
  bool json = false;
};

struct Settings {
  std::string location;  // a path, or postgres://…
  std::string owner;
  std::string token;                               // LADDER_TOKEN; used only when a command is told to
  bool db_by_flag = false, owner_by_flag = false;  // so that a printed command can repeat them
};

using Environment = std::function<std::optional<std::string>(const char* name)>;

// kInvalidRequest for a configuration file that cannot be read or understood; kNotSetUp when no place for a store is known.
Result<Settings> resolve_settings(const CommonFlags& flags, const Environment& environment);

// A location fit to show: without the password of a postgres:// address.
std::string shown_location(std::string_view location);

}  // namespace ladder::cli
