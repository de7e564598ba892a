#include "support/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <string>
#include <system_error>

namespace ladder::test_support {

ScratchFolder::ScratchFolder() {
  const char* parent = std::getenv("TMPDIR");
  std::string name = std::string(parent != nullptr && *parent != '\0' ? parent : "/tmp") + "/ladder-test-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "mkdtemp " + name);
  path_ = name;
}

ScratchFolder::~ScratchFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::string file_text(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary | std::ios::ate);
  const auto end = file.tellg();
  if (!file || end <= 0) return {};
  std::string bytes(static_cast<std::size_t>(end), '\0');
  file.seekg(0);
  file.read(bytes.data(), end);
  bytes.resize(static_cast<std::size_t>(file.gcount()));  // the file may become shorter meanwhile
  return bytes;
}

}  // namespace ladder::test_support
