#include "support/sanitizer_options.h"

#include <cstdlib>

namespace ladder::test_support {

std::string child_sanitizer_options() {
  const char* ours = std::getenv("ASAN_OPTIONS");
  std::string options = "ASAN_OPTIONS=" + std::string(ours != nullptr ? ours : "");
  if (std::getenv("LADDER_TEST_ALL") == nullptr) options += std::string(options.ends_with('=') ? "" : ":") + "detect_leaks=0";
  return options;
}

}  // namespace ladder::test_support
