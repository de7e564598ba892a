// ladder.toml: lines of  key = "value"  with comments and blank lines between them, and nothing else of TOML.
#pragma once

#include "base/result.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace ladder::cli {

class ConfigFile {
 public:
  std::optional<std::string> value(std::string_view key) const;

 private:
  friend Result<ConfigFile> parse_config(std::string_view text, std::string_view name);
  std::map<std::string, std::string, std::less<>> values_;
};

// kNotFound for a file that cannot be read; kInvalidRequest, naming file and line: not a setting, a key that is unknown or comes
// twice.
Result<ConfigFile> parse_config(std::string_view text, std::string_view name);
Result<ConfigFile> read_config_file(const std::string& path);

}  // namespace ladder::cli
