#include "app/sync/folder_watch.h"

#include <dirent.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::app {
namespace {

namespace fs = std::filesystem;
using SteadyClock = std::chrono::steady_clock;

constexpr std::size_t kMaxWatches = 16'384;  // a user has 8,192 to some 100,000 of them for all programs
constexpr std::size_t kMaxDepth = 64;
constexpr auto kQuiet = std::chrono::milliseconds(700);  // after the last change
constexpr auto kLongestWait = std::chrono::seconds(10);  // after the first change
constexpr std::uint32_t kEvents = IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF |
                                  IN_MOVE_SELF | IN_ONLYDIR | IN_DONT_FOLLOW | IN_EXCL_UNLINK;

bool is_real_folder(const fs::path& path) {
  struct stat facts{};
  return ::lstat(path.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode);
}

// Adds a watch for the folder and those below it. Folders that vanish meanwhile are left out.
bool watch_tree(int notify, const fs::path& root) {
  std::vector<std::pair<fs::path, std::size_t>> open = {{root, 0}};
  for (std::size_t watches = 0; !open.empty();) {
    const auto [path, depth] = std::move(open.back());
    open.pop_back();
    if (::inotify_add_watch(notify, path.c_str(), kEvents) < 0) {
      if (depth == 0 || errno == ENOSPC) return false;
      continue;
    }
    if (++watches > kMaxWatches) return false;
    DIR* const directory = ::opendir(path.c_str());
    if (directory == nullptr) continue;
    while (const dirent* const entry = ::readdir(directory)) {  // NOLINT(concurrency-mt-unsafe): the stream is not shared
      const std::string_view name = entry->d_name;
      const bool is_folder = entry->d_type == DT_DIR || (entry->d_type == DT_UNKNOWN && is_real_folder(path / name));
      // Deliveries to a Maildir are written to tmp/ first, and are complete when they are moved.
      if (is_folder && name != "." && name != ".." && name != "tmp" && depth < kMaxDepth)
        open.emplace_back(path / name, depth + 1);
    }
    ::closedir(directory);
  }
  return true;
}

}  // namespace

std::unique_ptr<FolderWatch> FolderWatch::start(const fs::path& root) {
  const int notify = ::inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
  if (notify < 0) return nullptr;
  const int wake = ::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
  if (wake < 0) {
    ::close(notify);
    return nullptr;
  }
  std::unique_ptr<FolderWatch> watch(new FolderWatch(notify, wake));
  return watch_tree(notify, root) ? std::move(watch) : nullptr;
}

FolderWatch::~FolderWatch() {
  ::close(notify_);
  ::close(wake_);
}

// Reports whether there were events.
bool FolderWatch::drain() const {
  bool any = false;
  std::array<char, 16 * 1024> events{};
  while (::read(notify_, events.data(), events.size()) > 0) any = true;
  return any;
}

void FolderWatch::wait(SteadyClock::time_point deadline, const std::stop_token& stop) const {
  const std::stop_callback on_stop(stop, [this] {
    const std::uint64_t one = 1;
    [[maybe_unused]] const ssize_t written = ::write(wake_, &one, sizeof one);
  });
  for (bool changed = drain(); !stop.stop_requested();) {
    const auto now = SteadyClock::now();
    if (now >= deadline) return;
    auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - now);
    if (changed) left = std::min<std::chrono::milliseconds>(left, kQuiet);
    left = std::min<std::chrono::milliseconds>(left, std::chrono::hours(1));
    std::array<pollfd, 2> watched = {pollfd{notify_, POLLIN, 0}, pollfd{wake_, POLLIN, 0}};
    const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(left.count()));
    if (ready == 0 && changed) return;
    if (drain() && !std::exchange(changed, true)) deadline = std::min(deadline, SteadyClock::now() + kLongestWait);
  }
}

}  // namespace ladder::app
