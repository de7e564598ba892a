// A folder of a test's own, gone with everything in it when the test is.
#pragma once

#include <filesystem>
#include <string_view>

namespace ladder::test_support {

class ScratchFolder {
 public:
  ScratchFolder();  // under TMPDIR, else /tmp; throws when it can't be made
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

}  // namespace ladder::test_support
