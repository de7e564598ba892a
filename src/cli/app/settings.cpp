// A setting is a bare key and a string in double quotes (with \\ \" \n \t) or in single quotes (as it stands).
#include "cli/app/settings.h"

#include "base/limits.h"
#include "base/text/format.h"
#include "cli/flags/input_file.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

constexpr std::array<std::string_view, 2> kKeys = {"db", "owner"};
constexpr std::string_view kBlank = " \t\r";

std::string_view trimmed(std::string_view text) {
  text.remove_prefix(std::min(text.find_first_not_of(kBlank), text.size()));
  return text.substr(0, text.find_last_not_of(kBlank) + 1);
}

// Takes the string at the start of `text`; what follows it may only be a comment.
std::optional<std::string> take_string(std::string_view text) {
  if (text.empty() || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
  const char quote = text.front();
  std::string value;
  std::size_t at = 1;
  for (; at < text.size() && text[at] != quote; ++at) {
    if (quote == '\'' || text[at] != '\\') {
      value += text[at];
      continue;
    }
    if (++at == text.size()) return std::nullopt;
    switch (text[at]) {
      case '"':
      case '\\':
        value += text[at];
        break;
      case 'n':
        value += '\n';
        break;
      case 't':
        value += '\t';
        break;
      default:
        return std::nullopt;
    }
  }
  if (at >= text.size()) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(at + 1));
  if (!rest.empty() && rest.front() != '#') return std::nullopt;
  return value;
}

}  // namespace

std::optional<std::string> ConfigFile::value(std::string_view key) const {
  const auto found = values_.find(key);
  return found == values_.end() ? std::nullopt : std::optional(found->second);
}

Result<ConfigFile> parse_config(std::string_view text, std::string_view name) {
  ConfigFile config;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = trimmed(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.empty() || line.front() == '#') continue;
    const auto complain = [&](std::string_view what) {
      return fail(Code::kInvalidRequest, format("{}, line {}: {}", name, number, what));
    };
    const std::size_t equals = line.find('=');
    if (equals == std::string_view::npos) return complain("not a setting; write  key = \"value\"");
    const std::string_view key = trimmed(line.substr(0, equals));
    if (std::find(kKeys.begin(), kKeys.end(), key) == kKeys.end()) {
      return complain(format("there is no setting '{}'; there are db and owner", key));
    }
    auto value = take_string(trimmed(line.substr(equals + 1)));
    if (!value) return complain(format("the value of '{}' is not one string in quotes", key));
    if (!config.values_.emplace(key, *std::move(value)).second) return complain(format("'{}' is set twice", key));
  }
  return config;
}

Result<ConfigFile> read_config_file(const std::string& path) {
  LADDER_TRY(const std::string text, read_whole_file(path, limits::kMiB));
  return parse_config(text, path);
}

// The order of the sources of each setting, and where files are looked for (the XDG folders).

namespace {

// $XDG_…_HOME/ladder, or the folder under $HOME that stands for it.
std::optional<std::string> ladder_folder(const Environment& environment, const char* variable, std::string_view below_home) {
  if (const auto base = environment(variable); base && base->front() == '/') return *base + "/ladder";
  if (const auto home = environment("HOME")) return *home + "/" + std::string(below_home) + "/ladder";
  return std::nullopt;
}

Result<ConfigFile> load_config(const Environment& environment) {
  if (const auto named = environment("LADDER_CONFIG")) return read_config_file(*named);
  const auto folder = ladder_folder(environment, "XDG_CONFIG_HOME", ".config");
  std::error_code ignored;
  if (!folder || !std::filesystem::exists(*folder + "/ladder.toml", ignored)) return ConfigFile{};
  return read_config_file(*folder + "/ladder.toml");
}

}  // namespace

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
  settings.state_folder = ladder_folder(environment, "XDG_STATE_HOME", ".local/state").value_or("");
  if (const auto location = pick(flags.db, "LADDER_DB", "db")) {
    if (location->empty()) return fail(Code::kInvalidRequest, "--db is empty: give a path or a postgres:// address", "db");
    settings.location = *location;
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
