#include "base/file_owner.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

namespace ladder {

void give_to_folder_owner(int descriptor, const std::string& path) {
  if (::geteuid() != 0) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  struct stat about{};
  if (::stat(folder.empty() ? "." : folder.c_str(), &about) != 0 || about.st_uid == 0) return;
  [[maybe_unused]] const int given = ::fchown(descriptor, about.st_uid, about.st_gid);
}

int open_or_create_file(const std::string& path, int flags) {
  constexpr int kTries = 4;  // the file may be created and removed between the two calls
  int descriptor = -1;
  for (int tries = 0; tries < kTries; ++tries) {
    descriptor = ::open(path.c_str(), flags | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
    if (descriptor >= 0) {
      give_to_folder_owner(descriptor, path);
      return descriptor;
    }
    if (errno != EEXIST) return descriptor;
    descriptor = ::open(path.c_str(), flags);
    if (descriptor >= 0 || errno != ENOENT) return descriptor;
  }
  return descriptor;
}

}  // namespace ladder
