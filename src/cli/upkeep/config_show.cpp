// ladder config show: shows every setting, its value and its origin.
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/setting_table.h"
#include "json/writer.h"

namespace ladder::cli {
namespace {

struct Found {
  std::string value, origin = "default";
  bool is_set = false;
};

Found find(const SettingRow& row, const Context& context, const ConfigFile& config) {
  Found found;
  const bool by_flag = (row.key == "db" && context.settings.db_by_flag) || (row.key == "owner" && context.settings.owner_by_flag);
  const auto values = config.values(row.key);
  if (by_flag) {
    found = {"", row.flag, true};
  } else if (const auto value = variable_of_process(row.variable().c_str())) {
    found = {*value, row.variable(), true};
  } else if (!values.empty()) {
    for (const std::string& each : values) found.value += (found.value.empty() ? "" : ",") + each;
    found.origin = format("{}:{}", config.name(), config.line(row.key));
    found.is_set = true;
  } else if (const auto last = row.last_variable.empty() ? std::nullopt : variable_of_process(row.last_variable.c_str())) {
    found = {*last, row.last_variable, true};
  }
  // These two always have a value; an address is shown without its password.
  if (row.key == "db") found.value = shown_location(context.settings.location);
  if (row.key == "owner") found.value = context.settings.owner;
  found.is_set = found.is_set || row.key == "db" || row.key == "owner";
  return found;
}

std::string commands_of(const SettingRow& row) {
  if (row.commands.empty()) return "all";
  std::string commands;
  for (const std::string& command : row.commands) commands += (commands.empty() ? "" : ", ") + command;
  return commands;
}

class ConfigShow final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.example("ladder config show");
    arguments.example("LADDER_LISTEN=127.0.0.1:8000 ladder config show --json");
  }

  Result<int> run(Context& context) override {
    // Does not use the context's environment, which also reads the file.
    LADDER_TRY(const ConfigFile config, load_config(variable_of_process));
    std::vector<std::vector<std::string>> rows = {{"SETTING", "VALUE", "FROM", "VARIABLE", "USED BY"}};
    json::Writer out;
    out.begin_object().member("file", config.name()).key("settings").begin_array();
    for (const SettingRow& row : setting_table()) {
      const Found found = find(row, context, config);
      rows.push_back({row.key, found.is_set ? visible_label(found.value) : "–", visible_label(found.origin), row.variable(),
                      commands_of(row)});
      out.begin_object().member("key", row.key).member("variable", row.variable()).optional_member("flag", row.flag);
      if (found.is_set) out.member("value", found.value);
      out.member("from", found.origin).member("help", row.help).end_object();
    }
    out.end_array().end_object();
    context.console.out(context.console.json() ? out.take() + "\n" : table_or_lines(context.console, rows));
    if (!context.console.json())
      context.console.err(config.name().empty() ? "ladder: no ladder.toml found\n"
                                                : format("ladder: the file is {}\n", visible_label(config.name())));
    warn_of_variables(context.console);
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_config_show() { return std::make_unique<ConfigShow>(); }

}  // namespace ladder::cli
