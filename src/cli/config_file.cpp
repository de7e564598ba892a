// A setting is a bare key and a string in double quotes (with \\ \" \n \t) or in single quotes (as it stands).
#include "cli/config_file.h"

#include "base/format.h"
#include "base/limits.h"
#include "cli/input_file.h"

#include <algorithm>
#include <array>

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

}  // namespace ladder::cli
