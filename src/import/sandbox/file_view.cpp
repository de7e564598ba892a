// A separate root in a mount namespace: a tmpfs with bind mounts of the readable paths, each at its own path. It is assembled
// on /proc and becomes the root at the end, so that an earlier failure leaves everything unchanged.
#include "base/text/format.h"
#include "base/time/time_zone.h"
#include "import/sandbox/layers.h"

#include <fcntl.h>
#include <linux/capability.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

namespace ladder::imports {
namespace {

namespace fs = std::filesystem;

constexpr const char* kStage = "/proc";
constexpr const char* kNowhere = "/.nowhere";  // an empty working directory: relative paths resolve to nothing
constexpr int kMaxCapability = 63;

std::unexpected<std::string> refused(std::string_view what) {
  return std::unexpected(format("{}: {}", what, std::generic_category().message(errno)));
}

bool write_text(const char* path, std::string_view text) {
  const int file = open(path, O_WRONLY | O_CLOEXEC);
  if (file < 0) return false;
  const bool done = write(file, text.data(), text.size()) == static_cast<ssize_t>(text.size());
  close(file);
  return done;
}

// Root can mount already, and in a user namespace would lose access to other users' files.
bool enter_namespaces() {
  const uid_t user = geteuid();
  const gid_t group = getegid();
  if (user == 0 && unshare(CLONE_NEWNS) == 0) return true;
  if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0) return false;
  write_text("/proc/self/setgroups", "deny");
  return write_text("/proc/self/uid_map", format("{0} {0} 1", user)) &&
         write_text("/proc/self/gid_map", format("{0} {0} 1", group));
}

bool is_beneath(const fs::path& path, const fs::path& folder) { return std::ranges::mismatch(folder, path).in1 == folder.end(); }

bool make_read_only(const char* path, bool deep, bool is_device = false) {
  mount_attr attributes{};
  attributes.attr_set = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | (is_device ? 0 : MOUNT_ATTR_NODEV);
  return mount_setattr(AT_FDCWD, path, deep ? AT_RECURSIVE : 0, &attributes, sizeof attributes) == 0;
}

// Creates an empty file or folder as a mount point.
bool make_target(const fs::path& target, bool is_folder) {
  std::error_code error;
  fs::create_directories(is_folder ? target : target.parent_path(), error);
  if (error || is_folder) return !error;
  const int file = open(target.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0444);
  if (file >= 0) close(file);
  return file >= 0;
}

bool bind_mount(const fs::path& path) {
  std::error_code error;
  const fs::path target = fs::path(kStage) / path.relative_path();
  if (!make_target(target, fs::is_directory(path, error))) return false;
  return mount(path.c_str(), target.c_str(), nullptr, MS_BIND | MS_REC, nullptr) == 0 &&
         make_read_only(target.c_str(), true, is_beneath(path, "/dev"));
}

// Returns the existing paths, sorted, without those inside another one.
Paths outermost(Paths paths) {
  std::ranges::sort(paths);
  Paths kept;
  for (fs::path& path : paths) {
    std::error_code error;
    if (!path.is_absolute() || !fs::exists(path, error)) continue;
    if (kept.empty() || !is_beneath(path, kept.back())) kept.push_back(std::move(path));
  }
  return kept;
}

bool set_capabilities(std::uint32_t low) {
  __user_cap_header_struct header{_LINUX_CAPABILITY_VERSION_3, 0};
  std::array<__user_cap_data_struct, 2> data{};
  data[0].effective = data[0].permitted = low;
  return syscall(SYS_capset, &header, data.data()) == 0;
}

}  // namespace

Paths system_data() {
  Paths paths = {fs::path(kZoneFolder), "/usr/share/poppler", "/usr/lib/locale"};
  for (const char* library : {"x86_64-linux-gnu/", "aarch64-linux-gnu/", ""}) {
    for (const char* folder : {"/usr/lib/", "/usr/lib64/"}) paths.push_back(fs::path(folder) / library / "gconv");
  }
  std::erase_if(paths, [](const fs::path& path) {
    std::error_code error;
    return !fs::is_directory(path, error);
  });
  return paths;
}

Layer enter_file_view(const Paths& readable) {
  const Paths paths = outermost(readable);
  for (const fs::path& path : paths) {
    if (path == "/" || is_beneath(path, kStage) || is_beneath(kStage, path))
      return std::unexpected(format("{} cannot be mounted in it", path.string()));
  }
  if (!enter_namespaces()) return refused("the system does not allow user namespaces");
  if (mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0) return refused("mounts cannot be made private");
  if (mount("tmpfs", kStage, "tmpfs", MS_NOSUID | MS_NODEV, "mode=755,size=4m") != 0) return refused("no tmpfs can be mounted");
  mkdir((std::string(kStage) + kNowhere).c_str(), 0755);
  for (const fs::path& path : paths) {
    if (bind_mount(path)) continue;
    auto why = refused(path.string());
    umount2(kStage, MNT_DETACH);
    return why;
  }
  if (!make_read_only(kStage, false) || chdir(kStage) != 0 || syscall(SYS_pivot_root, ".", ".") != 0) {
    auto why = refused("the root cannot be changed");
    umount2(kStage, MNT_DETACH);
    return why;
  }
  // The old root covers the new one until it is unmounted.
  if (umount2(".", MNT_DETACH) != 0) return refused("the old root cannot be unmounted");
  if (chdir(kNowhere) != 0) return refused("the new root cannot be entered");
  return "an empty file system that contains only the paths to import";
}

Layer drop_capabilities() {
  for (int capability = 0; capability <= kMaxCapability; ++capability) prctl(PR_CAPBSET_DROP, capability, 0, 0, 0);
  prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0);
  if (geteuid() == 0 && set_capabilities(1U << CAP_DAC_READ_SEARCH)) return "only the one for reading files as root";
  if (set_capabilities(0)) return "none";
  return refused("capabilities cannot be dropped");
}

}  // namespace ladder::imports
