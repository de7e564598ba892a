#include "cli/invocation/settings.h"

#include "base/limits.h"
#include "base/text/bytes.h"
#include "base/text/format.h"
#include "base/text/nearest.h"
#include "base/text/number.h"
#include "cli/invocation/setting_table.h"
#include "cli/terminal/input_file.h"
#include "crypto/hash.h"
#include "store/store.h"

#define TOML_EXCEPTIONS 0
#include <toml++/toml.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

constexpr std::string_view kNumber = "N";       // the value name of a number
constexpr std::size_t kMostConnections = 1000;  // more than any PostgreSQL server serves well

std::optional<std::vector<std::string>> strings_in(const toml::array& array) {
  std::vector<std::string> strings;
  for (const toml::node& element : array) {
    const auto* const text = element.as_string();
    if (text == nullptr) return std::nullopt;
    strings.push_back(text->get());
  }
  return strings;
}

// Returns nullopt if the setting takes another type.
std::optional<std::vector<std::string>> values_of(const toml::node& node, const SettingRow& row) {
  if (row.value_name.empty()) {
    const auto* const flag = node.as_boolean();
    return flag ? std::optional(std::vector<std::string>{flag->get() ? "true" : "false"}) : std::nullopt;
  }
  if (const auto* const number = node.as_integer(); number != nullptr && row.value_name == kNumber && number->get() >= 0)
    return std::vector{std::to_string(number->get())};
  if (const auto* const array = node.as_array(); array != nullptr && row.repeated) return strings_in(*array);
  const auto* const text = node.as_string();
  return text ? std::optional(std::vector{text->get()}) : std::nullopt;
}

std::string unknown_key(std::string_view key) {
  std::vector<std::string_view> keys;
  for (const SettingRow& row : setting_table()) keys.push_back(row.key);
  const std::string of_import = "import_" + std::string(key);  // for its flag `as` or `name`
  const std::string_view near = std::ranges::find(keys, of_import) != keys.end() ? of_import : nearest(key, keys);
  // This file would make that command fail as well.
  return format(
      "unknown setting '{}'; {}", key,
      near.empty() ? "`LADDER_CONFIG=/dev/null ladder config show` lists all settings" : format("did you mean '{}'?", near));
}

std::string_view form_of(const SettingRow& row) {
  if (row.value_name.empty()) return "true or false";
  if (row.value_name == kNumber) return "a number";
  return row.repeated ? "a string in quotes, or a list of strings in brackets" : "one string in quotes";
}

}  // namespace

std::optional<std::string> ConfigFile::value(std::string_view key) const {
  const auto found = settings_.find(key);
  return found == settings_.end() || found->second.values.empty() ? std::nullopt : std::optional(found->second.values.front());
}

std::vector<std::string> ConfigFile::values(std::string_view key) const {
  const auto found = settings_.find(key);
  return found == settings_.end() ? std::vector<std::string>() : found->second.values;
}

int ConfigFile::line(std::string_view key) const {
  const auto found = settings_.find(key);
  return found == settings_.end() ? 0 : found->second.line;
}

Result<ConfigFile> parse_config(std::string_view text, std::string_view name) {
  const auto complain = [&](toml::source_index line, std::string_view what) {
    return fail(Code::kInvalidRequest, format("{}, line {}: {}", name, line, what));
  };
  const toml::parse_result parsed = toml::parse(text);
  if (!parsed) {
    const toml::parse_error& error = parsed.error();
    return complain(error.source().begin.line, format("this is not TOML: {}", error.description()));
  }
  ConfigFile config;
  config.name_ = name;
  for (const auto& [key, node] : parsed.table()) {
    const toml::source_index line = key.source().begin.line;
    const auto row = std::ranges::find(setting_table(), key.str(), &SettingRow::key);
    if (row == setting_table().end()) return complain(line, unknown_key(key.str()));
    auto values = values_of(node, *row);
    if (!values) return complain(line, format("the value of '{}' is not {}", key.str(), form_of(*row)));
    config.settings_.emplace(key.str(), ConfigFile::Setting{*std::move(values), static_cast<int>(line)});
  }
  return config;
}

Result<ConfigFile> read_config_file(const std::string& path) {
  LADDER_TRY(const std::string text, read_whole_file(path, limits::kMiB));
  return parse_config(text, path);
}

// Defines the precedence of settings and the search path for files (the XDG folders).

namespace {

// Returns $XDG_…_HOME/ladder, or the default folder under $HOME.
std::optional<std::string> ladder_folder(const Environment& environment, const char* variable, std::string_view below_home) {
  if (const auto base = environment(variable); base && base->front() == '/') return *base + "/ladder";
  if (const auto home = environment("HOME")) return *home + "/" + std::string(below_home) + "/ladder";
  return std::nullopt;
}

}  // namespace

std::optional<std::string> variable_of_process(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): no thread sets variables
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

Result<ConfigFile> load_config(const Environment& environment) {
  if (const auto named = environment("LADDER_CONFIG")) {
    auto config = read_config_file(with_home(*named, environment));
    if (!config && config.error().code == Code::kNotFound) config.error().message += " (from LADDER_CONFIG)";
    return config;
  }
  const auto folder = ladder_folder(environment, "XDG_CONFIG_HOME", ".config");
  if (!folder) return ConfigFile{};
  // A dangling link is an error: ignoring the file might select another store.
  const std::string path = *folder + "/ladder.toml";
  std::error_code ignored;
  const auto type = std::filesystem::symlink_status(path, ignored).type();
  if (type == std::filesystem::file_type::not_found || type == std::filesystem::file_type::none) return ConfigFile{};
  return read_config_file(path);
}

std::string with_home(std::string_view path, const Environment& environment) {
  const auto home = path == "~" || path.starts_with("~/") ? environment("HOME") : std::nullopt;
  return home ? *home + std::string(path.substr(1)) : std::string(path);
}

Result<Settings> resolve_settings(const CommonFlags& flags, const Environment& environment) {
  LADDER_TRY(const ConfigFile config, load_config(environment));
  const auto pick = [&](const std::optional<std::string>& flag, const char* variable, std::string_view key) {
    if (flag) return flag;
    if (auto value = environment(variable)) return value;
    return config.value(key);
  };

  Settings settings;
  settings.db_by_flag = flags.db.has_value();
  settings.owner_by_flag = flags.owner.has_value();
  const auto owner = pick(flags.owner, "LADDER_OWNER", "owner");
  settings.default_owner = !owner.has_value();
  settings.owner = owner.value_or("local");
  settings.token = environment("LADDER_TOKEN").value_or("");
  settings.state_folder = ladder_folder(environment, "XDG_STATE_HOME", ".local/state").value_or("");
  if (const auto most = pick(std::nullopt, "LADDER_DB_CONNECTIONS", "db_connections")) {
    settings.db_connections = parse_number<std::size_t>(*most);
    if (settings.db_connections.value_or(0) < store::kFewestConnections || *settings.db_connections > kMostConnections) {
      return fail(Code::kInvalidRequest,
                  format("db_connections is the most connections of this program to PostgreSQL: a number from {} to {}",
                         store::kFewestConnections, kMostConnections),
                  "db_connections");
    }
  }
  if (const auto location = pick(flags.db, "LADDER_DB", "db")) {
    if (location->empty()) return fail(Code::kInvalidRequest, "--db is empty: use a path or a postgres:// address", "db");
    settings.location = with_home(*location, environment);
  } else if (const auto folder = ladder_folder(environment, "XDG_DATA_HOME", ".local/share")) {
    settings.location = *folder + "/ladder.db";
    settings.default_location = true;
  } else {
    return fail(Code::kNotSetUp, "no location for the store, because HOME is not set: use --db PATH or set LADDER_DB", "db");
  }
  return settings;
}

std::string shown_location(std::string_view location) {
  const auto scheme = location.find("://");
  if (scheme == std::string_view::npos) return std::string(location);
  const auto user = scheme + 3;
  const auto at = location.find('@', user);
  const auto colon = location.find(':', user);
  std::string shown(location);
  if (at != std::string_view::npos && colon < at && at < location.find('/', user)) shown.replace(colon, at - colon, ":…");
  constexpr std::string_view kPassword = "password=";  // and sslpassword=
  for (auto word = shown.find(kPassword); word != std::string::npos; word = shown.find(kPassword, word + 1)) {
    const auto value = word + kPassword.size();
    shown.replace(value, std::min(shown.find('&', value), shown.size()) - value, "…");
  }
  return shown;
}

std::string location_digest(std::string_view location) {
  return to_hex(crypto::view(crypto::sha256(shown_location(location)))).substr(0, 16);
}

std::filesystem::path work_folder(const Settings& settings, std::string_view kind) {
  if (!settings.location.contains("://")) return std::filesystem::absolute(format("{}-{}", settings.location, kind));
  return std::filesystem::path(settings.state_folder.empty() ? "." : settings.state_folder) /
         format("{}-{}", kind, location_digest(settings.location));
}

}  // namespace ladder::cli
