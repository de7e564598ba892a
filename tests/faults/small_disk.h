// A disk that can be filled: a small file system in memory, in a mount namespace of this process where that is allowed;
// and everywhere a limit on the size of files that a running process may write, which Ladder must handle the same way.
#pragma once

#include "support/scratch_folder.h"

#include <sys/types.h>

#include <string>
#include <vector>

namespace ladder::faults {

class SmallDisk {
 public:
  enum class Kind { kFileSystem, kFileSizeLimit };
  static std::vector<Kind> kinds();  // the kinds available on this machine

  SmallDisk(Kind kind, std::size_t bytes);
  ~SmallDisk();
  SmallDisk(const SmallDisk&) = delete;
  SmallDisk& operator=(const SmallDisk&) = delete;

  std::string store() const { return (folder_ / "store.db").string(); }
  const std::filesystem::path& folder() const { return folder_.path(); }
  void hold(pid_t process);                        // `process` writes the files that fill the disk
  void enlarge(pid_t process, std::size_t bytes);  // frees space

 private:
  Kind kind_;
  std::size_t bytes_;
  test_support::ScratchFolder folder_;
};

}  // namespace ladder::faults
