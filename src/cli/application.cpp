// Parses the command line, resolves the settings, runs the command and maps its result to output and an exit code.
// This is the only place that catches exceptions.
#include "cli/application.h"

#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/commands/store_names.h"
#include "cli/invocation/command_line.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/session.h"
#include "cli/invocation/setting_table.h"
#include "cli/invocation/settings.h"
#include "cli/terminal/console.h"

#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstring>
#include <exception>
#include <new>

namespace ladder::cli {
namespace {

std::optional<std::string> environment(const char* name) { return variable_of_process(name); }

// Every user of the machine can read a process's arguments, so this removes the password from them. The text after it
// moves up.
void hide_password(char* word) {
  const std::string shown = shown_location(word);
  if (shown == word) return;
  const std::size_t length = std::strlen(word);
  const std::size_t kept = std::min(shown.size(), length);
  std::copy_n(shown.data(), kept, word);
  std::memset(word + kept, 0, length - kept);
}

// Adds the nearest known name, or the valid names, to an error about a name.
void suggest(Error& error, const Words& words, const Context& context) {
  const int code = exit_code(error.code);
  if (code == kNotSetUp || error.code == Code::kStoreUnavailable || error.code == Code::kInternal) return;
  const auto listed = error.message.rfind("there is \"");  // the message lists the names already
  if (listed != std::string::npos && error.message.find(", ", listed) == std::string::npos) return;
  const std::string advice = name_advice(words, context, listed == std::string::npos);
  if (!advice.empty()) error.message += "; " + advice;
}

// Looks up a setting in the environment variables, then in the file.
Environment with_file(ConfigFile config) {
  return [config = std::move(config)](const char* name) -> std::optional<std::string> {
    auto value = environment(name);
    for (const SettingRow& row : setting_table()) {
      const bool is_store_setting = row.key == "db" || row.key == "owner";  // Settings resolves these
      if (is_store_setting || row.variable() != name) continue;
      if (!value) value = config.value(row.key);
      return value ? std::optional(with_home(*value, environment)) : std::nullopt;
    }
    return value;
  };
}

// Adds all settings to the words. An error names the origin of the faulty setting.
Result<Words> with_all_settings(const Words& words, const ConfigFile& config) {
  auto all_words = with_settings(words, config, environment);
  if (!all_words) add_setting_origin(all_words.error(), words, config, environment);
  return all_words;
}

Result<RenewedCommand> read_again(const Words& words, std::string_view version) {
  LADDER_TRY(ConfigFile config, load_config(environment));
  LADDER_TRY(const Words all_words, with_all_settings(words, config));
  LADDER_TRY(Invocation invocation, read_command_line(all_words, version));
  LADDER_TRY(Settings settings, resolve_settings(invocation.flags, environment));
  RenewedCommand renewed{std::move(invocation.command), std::move(settings), with_file(config), {}};
  renewed.add_setting_origin = [words, config = std::move(config)](Error& error) {
    add_setting_origin(error, words, config, environment);
  };
  return renewed;
}

Result<int> obey(Console& console, const Words& words, std::string_view version) {
  const auto config = load_config(environment);  // an error is reported only if a command needs the file; help works without it
  const ConfigFile file = config ? *config : ConfigFile();
  LADDER_TRY(const Words all_words, with_all_settings(words, file));
  LADDER_TRY(Invocation invocation, read_command_line(all_words, version));
  if (!invocation.command) {
    if (reserves_standard_output(words)) console.err(invocation.page);
    else console.out(invocation.page);
    return kDone;
  }
  console.set_json(invocation.flags.json && !reserves_standard_output(words));
  const bool needs_settings = invocation.command->needs_settings();
  if (!config && needs_settings) return std::unexpected(config.error());
  Result<Settings> settings = resolve_settings(invocation.flags, environment);
  if (!settings && !needs_settings) settings = Settings();
  if (!settings) {
    add_setting_origin(settings.error(), words, file, environment);
    return std::unexpected(std::move(settings).error());
  }
  Context context(console, *settings, version, with_file(file));
  context.renew = [&words, version] { return read_again(words, version); };
  Result<int> result = invocation.command->run(context);
  if (result) return result;
  if (needs_settings) suggest(result.error(), words, context);
  add_setting_origin(result.error(), words, file, environment);
  return result;
}

}  // namespace

int run(int argc, char** argv, std::string_view version) {
  // Writing to a closed pipe (ladder … | head) must fail with EPIPE and not kill the process during an ingest.
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // exceeding the file size limit must fail like a full disk
  ::umask(0077);                  // new files are readable by their owner only

  const Words words(argv + 1, argv + std::max(argc, 1));
  for (int n = 1; n < argc; ++n) hide_password(argv[n]);
  Console console(environment("NO_COLOR").has_value());
  console.set_json(wants_json(words) && !reserves_standard_output(words));
  int code = kFailed;
  try {
    const Result<int> result = obey(console, words, version);
    code = result ? *result : report(console, result.error());
  } catch (const std::bad_alloc&) {
    code = report(console, Error{Code::kStoreUnavailable, "out of memory"});
  } catch (const std::exception& exception) {
    code = report(console, Error{Code::kInternal, "internal error: " + std::string(exception.what())});
  }
  console.finish();
  if (console.output_failed()) {
    console.err("ladder: the output could not be written in full\n");
    return code == kDone ? kFailed : code;
  }
  return code;
}

}  // namespace ladder::cli
