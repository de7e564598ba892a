// Checks the store's location and where it was configured, the permissions of its files, and the free disk space.
#include "app/import/extractor.h"
#include "app/stop_signal.h"
#include "base/text/format.h"
#include "base/text/grouped.h"
#include "base/text/visible_text.h"
#include "base/time/time_zone.h"
#include "cli/doctor/checks.h"
#include "cli/flags/provider.h"
#include "cli/invocation/setting_table.h"
#include "cli/invocation/settings.h"
#include "import/wire/messages.h"

#include <arpa/inet.h>
#include <linux/magic.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLeastBytes = 100'000'000;  // less is a problem
constexpr std::int64_t kFewBytes = 1'000'000'000;  // less is a warning
constexpr mode_t kOthersRead = S_IRGRP | S_IROTH, kOthersWrite = S_IWGRP | S_IWOTH;

bool is_file(const std::string& location) { return location.find("://") == std::string::npos; }

// Returns a setting of `ladder serve`; empty if it is not set.
std::string setting_of(const Context& context, std::string_view key) {
  const auto row = std::ranges::find(setting_table(), key, &SettingRow::key);
  if (auto value = context.environment(row->variable().c_str())) return *value;
  const auto config = load_config(context.environment);
  return config ? config->value(key).value_or("") : "";
}

// Returns the setting that selects the store; empty if the default is used.
std::string origin(const Context& context) {
  if (context.settings.db_by_flag) return "--db";
  if (variable_of_process("LADDER_DB")) return "LADDER_DB";
  const auto config = load_config(variable_of_process);
  return config && config->line("db") > 0 ? format("{}, line {}", config->name(), config->line("db")) : std::string();
}

void check_mode(const std::string& path, app::Findings& findings) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT) return;
    return findings.problem("permissions", path, format("cannot be checked: {}", std::generic_category().message(errno)),
                            "run ladder as the user who owns the store");
  }
  const bool folder = S_ISDIR(about.st_mode);
  // Listing a folder shows file names; the file modes protect their contents.
  const bool listed = folder && (about.st_mode & kOthersRead) != 0;
  const bool seen = !folder && (about.st_mode & kOthersRead) != 0;
  const bool touched = (about.st_mode & kOthersWrite) != 0 && !(folder && (about.st_mode & S_ISVTX) != 0);
  if (seen || touched) {
    return findings.problem(
        "permissions", path,
        format("other users of this machine can {} it (mode {:o})", touched ? "change" : "read", about.st_mode & 07777),
        format("chmod {} {}", folder ? "go-w" : "600", shell_word(path)));
  }
  // Root may manage the store of a service whose files belong to the service user.
  if (::geteuid() == 0 && about.st_uid != 0 && !listed)
    return findings.ok("permissions", path, format("only its owner, user {}, and root can read and change it", about.st_uid));
  if (about.st_uid != ::geteuid() && ::geteuid() != 0) {
    return findings.warn("permissions", path, format("belongs to user {}, and you are user {}", about.st_uid, ::geteuid()),
                         "run ladder as that user, or change the owner with chown");
  }
  if (!folder && ::access(path.c_str(), R_OK | W_OK) != 0)
    return findings.problem("permissions", path, "is not readable and writable", format("chmod u+rw {}", shell_word(path)));
  findings.ok("permissions", path,
              listed   ? format("other users of this machine can list its files, but only its owner can change it (mode {:o})",
                                about.st_mode & 07777)
              : folder ? "only its owner can list and change it"
                       : "only its owner can read and write it");
}

void check_room(const std::string& folder, app::Findings& findings) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return;
  const auto free = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
  const std::string text = format("{} MB are free", grouped(free / 1'000'000));
  if (free < kLeastBytes)
    return findings.problem("room", folder, text, "free some space: nothing can be stored when the disk is full");
  if (free < kFewBytes) return findings.warn("room", folder, text, "free some space: the next import may need more");
  findings.ok("room", folder, text);
}

}  // namespace

void check_settings(const Context& context, app::Findings& findings) {
  const std::string from = origin(context);
  findings.ok("settings", shown_location(context.settings.location), from.empty() ? "the default location" : "set by " + from);
}

void check_place(const Context& context, app::Findings& findings) {
  const std::string& location = context.settings.location;
  if (!is_file(location)) return;
  std::error_code error;
  const fs::path path = fs::absolute(location, error);
  if (error || !fs::exists(path, error)) return;
  const std::string folder = path.parent_path().native();
  for (const char* suffix : {"", "-wal", "-shm"}) check_mode(path.native() + suffix, findings);
  check_mode(folder, findings);
  check_room(folder, findings);
}

// The journal has the entries of the last second. A new container or machine does not have the disk of the old one.
void check_journal(const Context& context, app::Findings& findings) {
  if (is_file(context.settings.location)) return;
  const std::string mode = setting_of(context, "ledger");
  if (mode == "store") return findings.ok("journal", "ledger = store", "responses wait until their entries are in the store");
  if (context.settings.state_folder.empty())
    return findings.ok("journal", "no folder", "entries are written to the store, because HOME and XDG_STATE_HOME are not set");
  fs::path folder = context.settings.state_folder;
  std::error_code missing;
  while (!fs::exists(folder, missing) && folder.has_relative_path()) folder = folder.parent_path();
  struct statfs facts{};
  if (::statfs(folder.c_str(), &facts) != 0) return;
  const auto type = static_cast<std::uint64_t>(facts.f_type);
  const std::string& thing = context.settings.state_folder;
  if (type != OVERLAYFS_SUPER_MAGIC && type != TMPFS_MAGIC && type != RAMFS_MAGIC)
    return findings.ok("journal", thing, "is on a disk that a restart keeps");
  findings.warn("journal", thing,
                format("is {}: if it disappears, so do the ledger entries of its last second",
                       type == OVERLAYFS_SUPER_MAGIC ? "the writable layer of a container" : "in memory"),
                "set ledger = \"store\", or mount a volume there (XDG_STATE_HOME)");
}

// Checks the store's environment: ladder-extract, time zones, cached tokens for other servers, and a free address.

namespace {

namespace fs = std::filesystem;

constexpr std::uint16_t kPort = 7663;  // the default port of `ladder serve`

constexpr std::size_t kMaxProtections = 32;

std::string way_to(std::string_view protection) {
  if (protection == "landlock") return "use Linux 5.13 or later with Landlock; the other layers of the sandbox are active";
  if (protection == "file view")
    return "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1); the other layers of the sandbox are active";
  return "nothing: the other layers of the sandbox are active";
}

void check_extractor(const Context& context, app::Findings& findings) {
  const auto configured = context.environment("LADDER_EXTRACT");
  const std::string program = app::extractor_program(configured);
  const std::string remedy =
      configured ? "set LADDER_EXTRACT to the ladder-extract of this version, or unset it"
                 : "install the package ladder-extract, or put the program next to ladder; both must have the same version";
  const app::StopSignal stop;
  auto child = app::Extractor::start(program, {"--protections"}, context.version, stop);
  if (!child) return findings.problem("imports", program, "cannot be started, so nothing can be imported", remedy);
  std::vector<imports::wire::Protection> protections;
  while (protections.size() < kMaxProtections) {
    const auto frame = (*child)->next();
    if (frame && frame->kind == imports::wire::Kind::kFailed)
      return findings.problem("imports", program, imports::wire::read_sentence(frame->payload), remedy);
    if (!frame && protections.empty()) return findings.problem("imports", program, frame.error().message, remedy);
    if (!frame) break;
    if (auto protection = imports::wire::read_protection(frame->payload)) protections.push_back(*std::move(protection));
  }
  findings.ok("imports", program, "works and stays within its limits");
  for (const imports::wire::Protection& each : protections) {
    if (each.held) findings.ok("sandbox", each.name, each.detail);
    else findings.warn("sandbox", each.name, format("not available on this machine: {}", each.detail), way_to(each.name));
  }
}

void check_zones(app::Findings& findings) {
  if (const auto zone = TimeZone::load("Europe/Berlin"); !zone) {
    return findings.problem("time zones", std::string(kZoneFolder), zone.error().message, "install the package tzdata");
  }
  findings.ok("time zones", std::string(kZoneFolder), "are there");
}

void check_credentials(const Context& context, app::Findings& findings) {
  std::string root = ".pdpp";
  for (const char* variable : {"PDPP_CACHE_ROOT", "LADDER_CACHE_ROOT"}) root = context.environment(variable).value_or(root);
  std::error_code error;
  const fs::path folder = fs::path(root) / "clients";
  if (!fs::is_directory(folder, error)) return;
  for (const auto& file : fs::directory_iterator(folder, error)) {
    if (file.path().extension() != ".json") continue;
    const auto credential = read_credential(file.path(), Clock::system().now());
    const std::string name = file.path().native();
    if (credential) findings.ok("credentials", name, "only its owner can read it");
    else if (credential.error().fault == CredentialFault::kExposed)
      findings.problem("credentials", name, credential.error().message, format("chmod 600 {}", shell_word(name)));
    else findings.warn("credentials", name, credential.error().message, "connect to that server again");
  }
}

void check_address(app::Findings& findings) {
  const std::string thing = format("127.0.0.1:{}", kPort);
  const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return;
  const int yes = 1;
  ::setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(kPort);
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const bool free = ::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
  const int why = errno;
  ::close(socket);
  if (free) return findings.ok("address", thing, "is free for `ladder serve`");
  if (why == EADDRINUSE) return findings.ok("address", thing, "is in use, by `ladder serve` or by another program");
  findings.warn("address", thing, format("cannot be listened on: {}", std::generic_category().message(why)),
                "use another with `ladder serve --listen ADDRESS:PORT`");
}

}  // namespace

void check_programs(const Context& context, app::Findings& findings) {
  check_extractor(context, findings);
  check_zones(findings);
}

void check_environment(const Context& context, app::Findings& findings) {
  check_credentials(context, findings);
  check_address(findings);
}

}  // namespace ladder::cli
