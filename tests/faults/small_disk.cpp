#include "small_disk.h"

#include "base/text/format.h"

#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>

#include <cerrno>
#include <system_error>

namespace ladder::faults {
namespace {

// Mounts from here on are private to this process and vanish with it.
bool has_own_mounts() {
  static const bool own = ::unshare(CLONE_NEWNS) == 0 && ::mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0;
  return own;
}

void mount_sized(const std::filesystem::path& folder, unsigned long flags, std::size_t bytes) {
  const std::string options = format("size={}", bytes);
  if (::mount("none", folder.c_str(), "tmpfs", flags, options.c_str()) == 0) return;
  throw std::system_error(errno, std::generic_category(), "mount tmpfs on " + folder.string());
}

void limit_files(pid_t process, std::size_t bytes) {
  const rlimit limit{bytes, RLIM_INFINITY};
  if (::prlimit(process, RLIMIT_FSIZE, &limit, nullptr) == 0) return;
  throw std::system_error(errno, std::generic_category(), "prlimit");
}

}  // namespace

std::vector<SmallDisk::Kind> SmallDisk::kinds() {
  if (has_own_mounts()) return {Kind::kFileSystem, Kind::kFileSizeLimit};
  return {Kind::kFileSizeLimit};
}

SmallDisk::SmallDisk(Kind kind, std::size_t bytes) : kind_(kind), bytes_(bytes) {
  if (kind_ == Kind::kFileSystem) mount_sized(folder_.path(), 0, bytes_);
}

SmallDisk::~SmallDisk() {
  if (kind_ == Kind::kFileSystem) ::umount2(folder_.path().c_str(), MNT_DETACH);
}

void SmallDisk::hold(pid_t process) {
  if (kind_ == Kind::kFileSizeLimit) limit_files(process, bytes_);
}

void SmallDisk::enlarge(pid_t process, std::size_t bytes) {
  bytes_ = bytes;
  if (kind_ == Kind::kFileSystem) mount_sized(folder_.path(), MS_REMOUNT, bytes_);
  else limit_files(process, bytes_);
}

}  // namespace ladder::faults
