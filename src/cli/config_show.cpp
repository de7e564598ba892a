// ladder config show: every setting of the table, what it is now and where that comes from.
#include "base/format.h"
#include "cli/exit_code.h"
#include "cli/setting_table.h"
#include "cli/upkeep_commands.h"
#include "cli/visible_text.h"
#include "json/writer.h"

#include <cstdlib>

namespace ladder::cli {
namespace {

std::optional<std::string> variable(const char* name) {
  const char* value = std::getenv(name);  // NOLINT(concurrency-mt-unsafe): nobody sets variables
  if (value == nullptr || *value == '\0') return std::nullopt;
  return std::string(value);
}

struct Found {
  std::string value, origin;  // empty: not set, so the default holds
};

class ConfigShow final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.example("ladder config show");
    arguments.example("LADDER_LISTEN=127.0.0.1:8000 ladder config show --json");
  }

  Result<int> run(Context& context) override {
    LADDER_TRY(const ConfigFile config, load_config(variable));
    std::vector<std::vector<std::string>> rows = {{"SETTING", "VALUE", "FROM", "VARIABLE", "USED BY"}};
    json::Writer out;
    out.begin_object().member("file", config.name()).key("settings").begin_array();
    for (const SettingRow& row : setting_table()) {
      const Found found = find(row, context, config);
      std::string commands;
      for (const std::string& command : row.commands) commands += (commands.empty() ? "" : ", ") + command;
      rows.push_back({row.key, found.origin.empty() ? "–" : visible_label(found.value),
                      found.origin.empty() ? "default" : found.origin, row.variable(), row.commands.empty() ? "all" : commands});
      out.begin_object().member("key", row.key).member("variable", row.variable()).optional_member("flag", row.flag);
      if (!found.origin.empty()) out.member("value", found.value);
      out.member("from", found.origin.empty() ? "default" : found.origin).member("help", row.help).end_object();
    }
    out.end_array().end_object();
    context.console.out(context.console.json() ? out.take() + "\n" : table_or_lines(context.console, rows));
    if (!context.console.json())
      context.console.err(config.name().empty() ? "ladder: there is no ladder.toml\n"
                                                : format("ladder: the file is {}\n", config.name()));
    return kDone;
  }

 private:
  static Found find(const SettingRow& row, const Context& context, const ConfigFile& config) {
    if (row.key == "db" && context.settings.db_by_flag) return {shown_location(context.settings.location), "--db"};
    if (row.key == "owner" && context.settings.owner_by_flag) return {context.settings.owner, "--owner"};
    Found found;
    if (const auto value = variable(row.variable().c_str())) {
      found = {*value, row.variable()};
    } else if (const auto values = config.values(row.key); !values.empty()) {
      for (const std::string& each : values) found.value += (found.value.empty() ? "" : ",") + each;
      found.origin = format("{}:{}", config.name(), config.line(row.key));
    } else {
      if (row.key == "db") return {shown_location(context.settings.location), "default"};
      if (row.key == "owner") return {context.settings.owner, "default"};
      return found;
    }
    if (row.key == "db") found.value = shown_location(context.settings.location);
    return found;
  }
};

}  // namespace

std::unique_ptr<Command> make_config_show() { return std::make_unique<ConfigShow>(); }

}  // namespace ladder::cli
