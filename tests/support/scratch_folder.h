// A test's scratch folder, removed with everything in it when the test ends.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace ladder::test_support {

class ScratchFolder {
 public:
  ScratchFolder();  // under TMPDIR, else /tmp; throws on failure
  ~ScratchFolder();
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }
  std::filesystem::path operator/(std::string_view name) const { return path_ / name; }

 private:
  std::filesystem::path path_;
};

// Returns all bytes of a file; "" if it does not exist. Stream iterators take about a hundred times as long in
// unoptimized tests.
std::string file_text(const std::filesystem::path& path);

}  // namespace ladder::test_support
