// A folder of a test's own, gone with everything in it when the test is.
#pragma once

#include <filesystem>
#include <string>
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

// All bytes of a file; "" when there is none. Iterators over a stream take some hundred times as long in tests, which are not
// optimised.
std::string file_text(const std::filesystem::path& path);

}  // namespace ladder::test_support
