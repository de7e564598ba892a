#include "cli/invocation/setting_table.h"

#include "base/text/format.h"
#include "base/text/nearest.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command_table.h"

#include <unistd.h>

#include <algorithm>
#include <array>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires this declaration

namespace ladder::cli {
namespace {

// Keys of `import` have a prefix, since `name` or `as` would be unclear in a settings file.
struct SettingCommand {
  std::string_view name, prefix;
  std::string_view flags = "--";  // only flags that begin with this are settings
};
constexpr std::array kCommands = {SettingCommand{"serve", ""}, SettingCommand{"open", ""}, SettingCommand{"ask", "", "--ask-"},
                                  SettingCommand{"mcp", ""}, SettingCommand{"import", "import_"}};
// Flags that delete something or run a program must be written each time.
constexpr std::array<std::string_view, 4> kNoSettings = {"--mirror", "--yes", "--with", "--net"};
constexpr std::array<std::string_view, 2> kFlagsWithValue = {"--db", "--owner"};

std::string key_of(std::string_view flag, std::string_view prefix) {
  std::string key(prefix);
  for (const char c : flag.substr(2)) key += c == '-' ? '_' : c;
  return key;
}

std::vector<SettingRow> make_table() {
  std::vector<SettingRow> rows = {
      {"db", "--db", std::string(kDbFlag.value_name), "the store", {}, false},
      {"owner", "--owner", std::string(kOwnerFlag.value_name), "whose data", {}, false},
  };
  rows.push_back({"db_connections", "", "N", "the most connections of one program to PostgreSQL", {}, false});
  const std::vector<CommandPage> pages = command_table();
  for (const SettingCommand& command : kCommands) {
    const auto page = std::ranges::find_if(pages, [&](const CommandPage& each) { return each.path() == command.name; });
    for (const ArgumentPage& flag : page->flags) {
      if (std::ranges::find(kNoSettings, std::string_view(flag.name)) != kNoSettings.end()) continue;
      if (!flag.name.starts_with(command.flags)) continue;
      const std::string key = key_of(flag.name, command.prefix);
      const auto known = std::ranges::find(rows, key, &SettingRow::key);
      if (known != rows.end()) known->commands.emplace_back(command.name);
      else rows.push_back({key, flag.name, flag.value_name, flag.help, {std::string(command.name)}, flag.repeated});
    }
  }
  std::ranges::find(rows, "otlp_endpoint", &SettingRow::key)->last_variable = kOtelVariable;
  rows.push_back({"result_bytes", "", "N", "the maximum size of an MCP tool result in bytes", {"serve", "open", "mcp"}, false});
  rows.push_back({"extract", "", "FILE", "the path of ladder-extract, if it is not next to ladder", {}, false});
  return rows;
}

// Returns the index of the command name, or the size if there is none.
std::size_t command_at(const Words& words) {
  std::size_t at = 0;
  while (at < words.size() && words[at].starts_with("-")) {
    at += std::ranges::find(kFlagsWithValue, words[at]) != kFlagsWithValue.end() ? 2 : 1;
  }
  return at;
}

bool has_flag(const Words& words, std::string_view flag) {
  const auto end = std::ranges::find(words, "--");
  return std::any_of(words.begin(), end, [&](std::string_view word) {
    return word.starts_with(flag) && (word.size() == flag.size() || word[flag.size()] == '=');
  });
}

std::vector<std::string> values_of(const SettingRow& row, const ConfigFile& config, const Environment& environment) {
  std::vector<std::string> values;
  if (const auto variable = environment(row.variable().c_str())) {
    if (!row.repeated) return {*variable};
    for (std::string_view rest = *variable; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(','), rest.size());
      if (comma > 0) values.emplace_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 1, rest.size()));
    }
    return values;
  }
  return config.values(row.key);
}

// Shells do not expand a "~" after "=".
std::string with_home_behind_flag(const std::string& word, const SettingRow& row, const Environment& environment) {
  const std::string flag = row.flag + "=";
  return word.starts_with(flag) ? flag + with_home(std::string_view(word).substr(flag.size()), environment) : word;
}

constexpr std::array<std::string_view, 3> kOtherVariables = {"LADDER_CONFIG", "LADDER_TOKEN", "LADDER_ASK_KEY"};

}  // namespace

std::string SettingRow::variable() const {
  std::string name = "LADDER_";
  for (const char c : key) name += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  return name;
}

const std::vector<SettingRow>& setting_table() {
  static const std::vector<SettingRow> table = make_table();
  return table;
}

Result<Words> with_settings(const Words& words, const ConfigFile& config, const Environment& environment) {
  const std::size_t at = command_at(words);
  if (at >= words.size() || std::ranges::find(kCommands, words[at], &SettingCommand::name) == kCommands.end()) return words;
  Words added, all = words;
  for (const SettingRow& row : setting_table()) {
    if (row.flag.empty() || row.commands.empty() || std::ranges::find(row.commands, words[at]) == row.commands.end()) continue;
    if (has_flag(words, row.flag)) {
      for (std::string& word : all) word = with_home_behind_flag(word, row, environment);
      continue;
    }
    for (const std::string& value : values_of(row, config, environment)) {
      if (!row.value_name.empty()) {
        added.push_back(row.flag + "=" + with_home(value, environment));
      } else if (value == "true") {
        added.push_back(row.flag);
      } else if (value != "false") {
        return fail(Code::kInvalidRequest, format("{} must be true or false, not '{}'", row.key, value), row.key);
      }
    }
  }
  all.insert(all.begin() + static_cast<std::ptrdiff_t>(at) + 1, added.begin(), added.end());
  return all;
}

void add_setting_origin(Error& error, const Words& words, const ConfigFile& config, const Environment& environment) {
  const auto row = std::ranges::find_if(setting_table(), [&](const SettingRow& each) {
    return !error.param.empty() && (error.param == each.flag || error.param == each.key || error.param == each.variable());
  });
  if (row == setting_table().end() || (!row->flag.empty() && has_flag(words, row->flag))) return;
  if (environment(row->variable().c_str())) error.message += format(" (from {})", row->variable());
  else if (config.line(row->key) > 0) error.message += format(" (from {}, line {})", config.name(), config.line(row->key));
  else if (!row->last_variable.empty() && environment(row->last_variable.c_str()))
    error.message += format(" (from {})", row->last_variable);
}

std::vector<std::string> mistyped_variables(char** variables) {
  // Compares without the common prefix, which would make all short names look similar.
  constexpr std::string_view kPrefix = "LADDER_";
  std::vector<std::string> known(kOtherVariables.begin(), kOtherVariables.end()), found;
  for (const SettingRow& row : setting_table()) known.push_back(row.variable());
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const std::string_view name : known) names.push_back(name.substr(kPrefix.size()));
  for (; *variables != nullptr; ++variables) {
    std::string_view name = std::string_view(*variables).substr(0, std::string_view(*variables).find('='));
    if (!name.starts_with(kPrefix)) continue;
    name.remove_prefix(kPrefix.size());
    if (std::ranges::find(names, name) != names.end()) continue;
    const std::string_view near = nearest(name, names);
    if (!near.empty())
      found.push_back(format("unknown variable {}{}; did you mean {}{}?", kPrefix, visible_label(name), kPrefix, near));
  }
  return found;
}

void warn_of_variables(Console& console) {
  for (const std::string& line : mistyped_variables(environ)) console.err(format("ladder: {}\n", line));
}

}  // namespace ladder::cli
