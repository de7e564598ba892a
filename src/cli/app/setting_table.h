// Every setting, once: its key in ladder.toml, its LADDER_* variable and its flag, made from the commands' own declarations. The
// reading of ladder.toml, `ladder config show` and the manual use this table.
#pragma once

#include "base/error/error.h"
#include "cli/app/command_line.h"
#include "cli/app/settings.h"
#include "cli/terminal/console.h"

#include <string>
#include <vector>

namespace ladder::cli {

inline constexpr const char* kOtelVariable = "OTEL_EXPORTER_OTLP_ENDPOINT";  // OpenTelemetry's own

struct SettingRow {
  std::string key;         // "public_url"
  std::string flag;        // "--public-url"; empty: it has none
  std::string value_name;  // empty: a switch, true or false
  std::string help;
  std::vector<std::string> commands;  // that take it; empty: all
  bool repeated = false;              // a list: ["a", "b"] in the file, a,b in the variable
  std::string last_variable = {};     // of another project, for a setting that is made nowhere else; empty: there is none

  std::string variable() const;  // LADDER_PUBLIC_URL
};

const std::vector<SettingRow>& setting_table();

// The words of the command line with a flag for every setting of their command that a variable or the file has and the words do
// not, and with HOME for "~/" in the value of each. kInvalidRequest for a switch that is neither true nor false.
Result<Words> with_settings(const Words& words, const ConfigFile& config, const Environment& environment);

// An error about a setting that the words do not have also says which variable, or which line of the file, it comes from.
void name_origin(Error& error, const Words& words, const ConfigFile& config, const Environment& environment);

// Variables that look like a setting and are none: a mistyped one is named with the nearest there is.
std::vector<std::string> mistyped_variables(char** variables);
void warn_of_variables(Console& console);  // of this process

}  // namespace ladder::cli
