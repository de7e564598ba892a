// Where the store is and how that was settled; who else may read its files; how much room is left.
#include "base/format.h"
#include "cli/finding.h"
#include "cli/shell_word.h"

#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <system_error>

namespace ladder::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kLeastBytes = 100'000'000;  // less is a problem
constexpr std::int64_t kFewBytes = 1'000'000'000;  // less is a warning
constexpr mode_t kOthersRead = S_IRGRP | S_IROTH, kOthersWrite = S_IWGRP | S_IWOTH;

bool is_file(const std::string& location) { return location.find("://") == std::string::npos; }

std::string origin(const Context& context) {
  if (context.settings.db_by_flag) return "--db";
  if (context.environment("LADDER_DB")) return "LADDER_DB";
  if (const auto named = context.environment("LADDER_CONFIG")) return *named;
  for (const auto& [variable, below] : {std::pair{"XDG_CONFIG_HOME", ""}, std::pair{"HOME", "/.config"}}) {
    const auto base = context.environment(variable);
    std::error_code ignored;
    if (base && fs::exists(*base + below + "/ladder/ladder.toml", ignored)) return *base + below + "/ladder/ladder.toml";
  }
  return "";
}

void check_mode(const std::string& path, Findings& findings) {
  struct stat about{};
  if (::stat(path.c_str(), &about) != 0) {
    if (errno == ENOENT) return;
    return findings.problem("permissions", path, format("cannot be looked at: {}", std::generic_category().message(errno)),
                            "run ladder as the user whose store it is");
  }
  const bool folder = S_ISDIR(about.st_mode);
  // Listing a folder shows the names in it; the modes of the files decide about their contents.
  const bool listed = folder && (about.st_mode & kOthersRead) != 0;
  const bool seen = !folder && (about.st_mode & kOthersRead) != 0;
  const bool touched = (about.st_mode & kOthersWrite) != 0 && !(folder && (about.st_mode & S_ISVTX) != 0);
  if (seen || touched) {
    return findings.problem(
        "permissions", path,
        format("other users of this machine may {} it (mode {:o})", touched ? "change" : "read", about.st_mode & 07777),
        format("chmod {} {}", folder ? "go-w" : "600", shell_word(path)));
  }
  if (about.st_uid != ::geteuid()) {
    return findings.warn("permissions", path, format("belongs to user {}, and you are user {}", about.st_uid, ::geteuid()),
                         "run ladder as that user, or give the file to yours with chown");
  }
  if (!folder && ::access(path.c_str(), W_OK) != 0)
    return findings.problem("permissions", path, "cannot be written", format("chmod u+w {}", shell_word(path)));
  findings.ok("permissions", path,
              listed ? format("other users of this machine may see the names in it, and only its owner may change it (mode {:o})",
                              about.st_mode & 07777)
              : folder ? "only its owner may list and change it"
                       : "only its owner may read and write it");
}

void check_room(const std::string& folder, std::int64_t store_bytes, Findings& findings) {
  struct statvfs disk{};
  if (::statvfs(folder.c_str(), &disk) != 0) return;
  const auto free = static_cast<std::int64_t>(disk.f_bavail) * static_cast<std::int64_t>(disk.f_frsize);
  const std::string text = format("{} MB are free", grouped(free / 1'000'000));
  if (free < kLeastBytes)
    return findings.problem("room", folder, text, "free some space: nothing more can be stored when the disk is full");
  if (free < kFewBytes || free < 2 * store_bytes)
    return findings.warn("room", folder, text,
                         "free some space: giving space back after `ladder erase` needs twice the store's size");
  findings.ok("room", folder, text);
}

}  // namespace

void check_settings(const Context& context, Findings& findings) {
  const std::string from = origin(context);
  findings.ok("settings", shown_location(context.settings.location),
              from.empty() ? "the place where stores are by default" : "told by " + from);
}

void check_place(const Context& context, Findings& findings) {
  const std::string& location = context.settings.location;
  if (!is_file(location)) return;
  std::error_code error;
  const fs::path path = fs::absolute(location, error);
  if (error || !fs::exists(path, error)) return;
  const std::string folder = path.parent_path().native();
  for (const char* suffix : {"", "-wal", "-shm"}) check_mode(path.native() + suffix, findings);
  check_mode(folder, findings);
  const auto bytes = fs::file_size(path, error);
  check_room(folder, error ? 0 : static_cast<std::int64_t>(bytes), findings);
}

}  // namespace ladder::cli
