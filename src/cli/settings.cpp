// The order of the sources of each setting, and where files are looked for (the XDG folders).
#include "cli/settings.h"

#include "cli/config_file.h"

#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

// $XDG_…_HOME/ladder, or the folder under $HOME that stands for it.
std::optional<std::string> ladder_folder(const Environment& environment, const char* variable, std::string_view below_home) {
  if (const auto base = environment(variable); base && base->front() == '/') return *base + "/ladder";
  if (const auto home = environment("HOME")) return *home + "/" + std::string(below_home) + "/ladder";
  return std::nullopt;
}

}  // namespace

Result<ConfigFile> load_config(const Environment& environment) {
  if (const auto named = environment("LADDER_CONFIG")) return read_config_file(with_home(*named, environment));
  const auto folder = ladder_folder(environment, "XDG_CONFIG_HOME", ".config");
  std::error_code ignored;
  if (!folder || !std::filesystem::exists(*folder + "/ladder.toml", ignored)) return ConfigFile{};
  return read_config_file(*folder + "/ladder.toml");
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
  settings.owner = pick(flags.owner, "LADDER_OWNER", "owner").value_or("local");
  settings.token = environment("LADDER_TOKEN").value_or("");
  if (const auto location = pick(flags.db, "LADDER_DB", "db")) {
    if (location->empty()) return fail(Code::kInvalidRequest, "--db is empty: give a path or a postgres:// address", "db");
    settings.location = with_home(*location, environment);
  } else if (const auto folder = ladder_folder(environment, "XDG_DATA_HOME", ".local/share")) {
    settings.location = *folder + "/ladder.db";
  } else {
    return fail(Code::kNotSetUp, "no place for a store is known, since HOME is not set: give --db PATH or set LADDER_DB", "db");
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

}  // namespace ladder::cli
