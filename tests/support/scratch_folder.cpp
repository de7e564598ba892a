#include "support/scratch_folder.h"

#include <cerrno>
#include <cstdlib>
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

}  // namespace ladder::test_support
