// The table of settings: the ladder.toml key, LADDER_* variable and flag of each, built from the commands' own
// declarations. It is used to parse ladder.toml and by `ladder config show` and the manual.
#pragma once

#include "base/error/error.h"
#include "cli/invocation/command_line.h"
#include "cli/invocation/settings.h"
#include "cli/terminal/console.h"

#include <string>
#include <vector>

namespace ladder::cli {

inline constexpr const char* kOtelVariable = "OTEL_EXPORTER_OTLP_ENDPOINT";  // defined by OpenTelemetry

struct SettingRow {
  std::string key;         // "public_url"
  std::string flag;        // "--public-url"; empty if there is none
  std::string value_name;  // empty for a switch (true or false)
  std::string help;
  std::vector<std::string> commands;  // the commands that take it; empty for all
  bool repeated = false;              // a list: ["a", "b"] in the file, a,b in the variable
  std::string last_variable = {};     // a fallback variable defined by another project; empty if there is none

  std::string variable() const;  // LADDER_PUBLIC_URL
};

const std::vector<SettingRow>& setting_table();

// Returns the command line with a flag added for every setting of its command that only a variable or the file has,
// and with "~/" expanded in each value. Returns kInvalidRequest for a switch that is neither true nor false.
Result<Words> with_settings(const Words& words, const ConfigFile& config, const Environment& environment);

// Adds to an error the variable, or the line of the file, that the setting comes from, unless the words contain it.
void add_setting_origin(Error& error, const Words& words, const ConfigFile& config, const Environment& environment);

// Returns a message with the nearest known name for each variable that looks like a setting but is not one.
std::vector<std::string> mistyped_variables(char** variables);
void warn_of_variables(Console& console);  // warns about this process's variables

}  // namespace ladder::cli
