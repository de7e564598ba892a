// Landlock through its system calls: glibc has no wrappers, and the headers of Debian 12 know only its first version.
#include "base/text/format.h"
#include "import/sandbox/layers.h"

#include <fcntl.h>
#include <linux/landlock.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace ladder::imports {
namespace {

// The struct of the newest version; the kernel receives the size that its version supports.
struct RulesetAttributes {
  std::uint64_t files = 0, network = 0, scoped = 0;
};

constexpr std::uint64_t kFirstFileRights = (LANDLOCK_ACCESS_FS_MAKE_SYM << 1) - 1;
constexpr std::uint64_t kRefer = 1ULL << 13, kTruncate = 1ULL << 14, kDeviceIoctl = 1ULL << 15;  // versions 2, 3 and 5
constexpr std::uint64_t kBindTcp = 1ULL << 0, kConnectTcp = 1ULL << 1;                           // version 4
constexpr std::uint64_t kAbstractSockets = 1ULL << 0, kSignals = 1ULL << 1;                      // version 6

struct Ruleset {
  RulesetAttributes attributes;
  std::size_t bytes = sizeof(std::uint64_t);
};

// Returns all restrictions that this version supports.
Ruleset ruleset_of(long version) {
  Ruleset ruleset;
  ruleset.attributes.files = kFirstFileRights;
  if (version >= 2) ruleset.attributes.files |= kRefer;
  if (version >= 3) ruleset.attributes.files |= kTruncate;
  if (version >= 4) {
    ruleset.attributes.network = kBindTcp | kConnectTcp;
    ruleset.bytes = 2 * sizeof(std::uint64_t);
  }
  if (version >= 5) ruleset.attributes.files |= kDeviceIoctl;
  if (version >= 6) {
    ruleset.attributes.scoped = kAbstractSockets | kSignals;
    ruleset.bytes = 3 * sizeof(std::uint64_t);
  }
  return ruleset;
}

class Descriptor {
 public:
  explicit Descriptor(long number) : number_(static_cast<int>(number)) {}
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  int get() const { return number_; }

 private:
  int number_;
};

// A path that no longer exists needs no rule.
bool allow_reading(int ruleset, const std::filesystem::path& path, bool executable) {
  const Descriptor place(open(path.c_str(), O_PATH | O_CLOEXEC));
  struct stat file_stat{};
  if (place.get() < 0 || fstat(place.get(), &file_stat) != 0) return true;
  landlock_path_beneath_attr rule{};
  rule.allowed_access = LANDLOCK_ACCESS_FS_READ_FILE;
  if (S_ISDIR(file_stat.st_mode)) rule.allowed_access |= LANDLOCK_ACCESS_FS_READ_DIR;
  if (executable) rule.allowed_access |= S_ISCHR(file_stat.st_mode) ? LANDLOCK_ACCESS_FS_WRITE_FILE : LANDLOCK_ACCESS_FS_EXECUTE;
  rule.parent_fd = place.get();
  return syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0) == 0;
}

std::unexpected<std::string> refused() { return std::unexpected(std::generic_category().message(errno)); }

}  // namespace

Layer restrict_files(const Paths& readable, bool executable, bool network) {
  const long version = syscall(SYS_landlock_create_ruleset, nullptr, 0, LANDLOCK_CREATE_RULESET_VERSION);
  if (version < 1)
    return std::unexpected("the kernel does not support it: Linux 5.13 or later with landlock in `lsm=` is required");
  Ruleset wanted = ruleset_of(version);
  if (network) wanted.attributes.network &= ~kConnectTcp;
  const Descriptor ruleset(syscall(SYS_landlock_create_ruleset, &wanted.attributes, wanted.bytes, 0));
  if (ruleset.get() < 0) return refused();
  for (const auto& path : readable) {
    if (!allow_reading(ruleset.get(), path, executable)) return refused();
  }
  if (syscall(SYS_landlock_restrict_self, ruleset.get(), 0) != 0) return refused();
  return format("read access to the paths to import only (version {})", version);
}

}  // namespace ladder::imports
