// ladder service: runs `ladder serve` as a systemd user service. The unit is one file in the user's configuration; the package
// contains the unit of a system-wide service (packaging/systemd).
#include "base/text/format.h"
#include "base/text/visible_text.h"
#include "cli/invocation/command.h"
#include "cli/invocation/failure.h"
#include "cli/invocation/setting_table.h"
#include "json/writer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <system_error>

extern char** environ;  // NOLINT(readability-redundant-declaration): POSIX requires this declaration

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* kUnit = "ladder.service";
constexpr int kUnreachable = 1;  // the exit code of systemctl

Result<fs::path> unit_path(const Context& context) {
  if (const auto base = context.environment("XDG_CONFIG_HOME"); base && base->front() == '/')
    return fs::path(*base) / "systemd/user" / kUnit;
  if (const auto home = context.environment("HOME")) return fs::path(*home) / ".config/systemd/user" / kUnit;
  return fail(Code::kNotSetUp, "HOME is not set, so there is no location for the unit file");
}

// Quotes a word for a unit and doubles characters that systemd would expand: "%" everywhere, "$" only in ExecStart=.
std::string unit_word(std::string_view word, std::string_view doubled) {
  std::string out = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') out += '\\';
    if (doubled.find(c) != std::string_view::npos) out += c;
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + "\"";
}
std::string start_word(std::string_view word) { return unit_word(word, "%$"); }

std::string absolute_file(const std::string& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).native();
}

bool is_address(std::string_view location) { return location.find("://") != std::string_view::npos; }

// The user manager does not have this shell's variables, so the unit contains those that affect the server.
std::string unit_variables(const Context& context) {
  std::string lines;
  const auto add = [&lines](const std::string& name, const std::string& value) {
    lines += format("Environment={}\n", unit_word(name + "=" + value, "%"));
  };
  // An address may contain a password, and every user of the machine can read a command line.
  const bool db_is_named = context.settings.db_by_flag || variable_of_process("LADDER_DB");
  if (db_is_named && is_address(context.settings.location)) add("LADDER_DB", context.settings.location);
  if (const auto file = variable_of_process("LADDER_CONFIG"))
    add("LADDER_CONFIG", absolute_file(with_home(*file, context.environment)));
  for (const char* name : {"XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"}) {
    if (const auto folder = variable_of_process(name)) add(name, *folder);
  }
  for (const SettingRow& row : setting_table()) {
    if (row.key == "db" || row.key == "owner") continue;
    if (!row.commands.empty() && std::ranges::find(row.commands, "serve") == row.commands.end()) continue;
    for (const std::string& name : {row.variable(), row.last_variable}) {
      if (const auto value = name.empty() ? std::nullopt : variable_of_process(name.c_str())) add(name, *value);
    }
  }
  return lines;
}

std::string unit_text(const std::string& program, const Context& context) {
  std::string start = start_word(program);
  if ((context.settings.db_by_flag || variable_of_process("LADDER_DB")) && !is_address(context.settings.location))
    start += " --db " + start_word(absolute_file(context.settings.location));
  if (context.settings.owner_by_flag || variable_of_process("LADDER_OWNER"))
    start += " --owner " + start_word(context.settings.owner);
  return format(
      "# Made by `ladder service install`; `ladder service remove` removes it.\n"
      "[Unit]\nDescription=Ladder, grant-scoped access to your own data\n\n"
      "[Service]\nType=notify\nNotifyAccess=main\n{}ExecStart={} serve\nExecReload=/bin/kill -HUP $MAINPID\nWatchdogSec=60\n"
      "Restart=on-failure\nRestartSec=2\nTimeoutStopSec=30\nUMask=0077\nLockPersonality=yes\nMemoryDenyWriteExecute=yes\n"
      "NoNewPrivileges=yes\nRestrictRealtime=yes\nRestrictSUIDSGID=yes\nSystemCallArchitectures=native\n\n"
      "[Install]\nWantedBy=default.target\n",
      unit_variables(context), start);
}

// Readable by its owner only: it may contain a database address with its password.
Status write_unit(const fs::path& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR);
  bool written = file >= 0 && ::fchmod(file, S_IRUSR | S_IWUSR) == 0;
  written = written && ::write(file, text.data(), text.size()) == std::ssize(text);
  written = file >= 0 && ::close(file) == 0 && written;
  if (written) return {};
  return fail(Code::kStoreUnavailable, format("cannot write {}: {}", path.native(), std::generic_category().message(errno)));
}

// Runs `systemctl --user …`. Returns its exit code, or nothing if it cannot be run. Its output is shown unless `quiet`.
std::optional<int> systemctl(const std::vector<std::string>& words, bool quiet) {
  std::vector<std::string> all = {"systemctl", "--user"};
  all.insert(all.end(), words.begin(), words.end());
  std::vector<char*> pointers;
  pointers.reserve(all.size() + 1);
  for (std::string& word : all) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);  // standard output is reserved for results
  if (quiet) {
    posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  }
  pid_t process = 0;
  const int failed = ::posix_spawnp(&process, "systemctl", &files, nullptr, pointers.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (failed != 0) return std::nullopt;
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : kFailed;
}

std::unexpected<Error> no_manager(std::string_view what) {
  return fail(Code::kStoreUnavailable,
              format("{}, but systemd's user manager is not available here; in a login session run  systemctl --user "
                     "daemon-reload && systemctl --user enable --now ladder",
                     what));
}

class Install final : public Command {
 public:
  void declare(Arguments& arguments) override {
    arguments.example("ladder service install && ladder service status");
    arguments.example("loginctl enable-linger    # also runs while you are not logged in");
  }
  Result<int> run(Context& context) override {
    LADDER_CHECK(Session::open(context.settings));  // without a store the service would fail repeatedly
    LADDER_TRY(const fs::path path, unit_path(context));
    std::error_code error;
    const fs::path program = fs::read_symlink("/proc/self/exe", error);
    if (error) return fail(Code::kInternal, format("cannot find this program: {}", error.message()));
    fs::create_directories(path.parent_path(), error);
    LADDER_CHECK(write_unit(path, unit_text(program, context)));
    context.console.err(format("ladder: wrote {}\n", visible_label(path.native())));
    if (systemctl({"daemon-reload"}, true).value_or(kFailed) != 0) return no_manager("the unit file was written");
    if (systemctl({"enable", "--now", kUnit}, false).value_or(kFailed) != 0) return kFailed;
    context.console.out("The service is running; `ladder service status` shows its state, `ladder service remove` removes it.\n");
    return kDone;
  }
};

class ShowStatus final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder service status"); }
  Result<int> run(Context& context) override {
    LADDER_TRY(const fs::path path, unit_path(context));
    std::error_code error;
    const bool installed = fs::exists(path, error);
    const auto active = installed ? systemctl({"is-active", "--quiet", kUnit}, true) : std::nullopt;
    // systemctl returns 3 for a unit that is not running, and 1 if it cannot reach the user manager.
    const std::string state = !installed                ? "not installed"
                              : !active                 ? "systemd is not available"
                              : *active == 0            ? "running"
                              : *active == kUnreachable ? "systemd's user manager is not available"
                                                        : "not running";
    if (context.console.json()) {
      json::Writer out;
      out.begin_object().member("unit", path.native()).member("installed", installed).member("state", state);
      context.console.out(out.end_object().take() + "\n");
    } else {
      context.console.out(format("{}: {}\n", visible_label(path.native()), state));
      if (active && *active != 0 && *active != kUnreachable)
        context.console.err("ladder: to see its log: journalctl --user -u ladder\n");
    }
    return state == "running" ? kDone : kFailed;
  }
};

class Remove final : public Command {
 public:
  void declare(Arguments& arguments) override { arguments.example("ladder service remove"); }
  Result<int> run(Context& context) override {
    LADDER_TRY(const fs::path path, unit_path(context));
    (void)systemctl({"disable", "--now", kUnit}, true);
    std::error_code error;
    const bool removed = fs::remove(path, error);
    if (error) return fail(Code::kStoreUnavailable, format("cannot remove {}: {}", path.native(), error.message()));
    (void)systemctl({"daemon-reload"}, true);
    context.console.out(removed ? "Removed the service; the store is kept.\n" : "The service was not installed.\n");
    return kDone;
  }
};

}  // namespace

std::unique_ptr<Command> make_service_install() { return std::make_unique<Install>(); }
std::unique_ptr<Command> make_service_status() { return std::make_unique<ShowStatus>(); }
std::unique_ptr<Command> make_service_remove() { return std::make_unique<Remove>(); }

}  // namespace ladder::cli
