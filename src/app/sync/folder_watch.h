// Waits until something changes in a folder or below it (inotify). Links are not followed.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <stop_token>

namespace ladder::app {

class FolderWatch {
 public:
  // Starts watching; changes from now on are noticed. Returns null if the folder cannot be watched: it is missing, or it has more
  // folders than the system or this program allows. The caller then looks at intervals.
  static std::unique_ptr<FolderWatch> start(const std::filesystem::path& root);
  ~FolderWatch();
  FolderWatch(const FolderWatch&) = delete;
  FolderWatch& operator=(const FolderWatch&) = delete;

  // Returns after a change, when nothing more has changed for a moment (or keeps changing for seconds), at the deadline, or when
  // `stop` is requested.
  void wait(std::chrono::steady_clock::time_point deadline, const std::stop_token& stop) const;

 private:
  explicit FolderWatch(int notify, int wake) : notify_(notify), wake_(wake) {}
  bool drain() const;

  const int notify_, wake_;  // file descriptors
};

}  // namespace ladder::app
