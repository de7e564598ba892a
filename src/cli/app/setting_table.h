// Every setting, once: its key in ladder.toml, its LADDER_* variable and its flag, made from the commands' own declarations. The
// reading of ladder.toml, `ladder config show` and the manual use this table.
#pragma once

#include "base/error/error.h"
#include "cli/app/command_line.h"
#include "cli/app/settings.h"

#include <string>
#include <vector>

namespace ladder::cli {

struct SettingRow {
  std::string key;         // "public_url"
  std::string flag;        // "--public-url"; empty: it has none
  std::string value_name;  // empty: a switch, true or false
  std::string help;
  std::vector<std::string> commands;  // that take it; empty: all
  bool repeated = false;              // a list: ["a", "b"] in the file, a,b in the variable

  std::string variable() const;  // LADDER_PUBLIC_URL
};

const std::vector<SettingRow>& setting_table();

// The words of the command line with a flag for every setting of their command that a variable or the file has and the words do
// not. kInvalidRequest for a switch that is neither true nor false.
Result<Words> with_settings(const Words& words, const ConfigFile& config, const Environment& environment);

}  // namespace ladder::cli
