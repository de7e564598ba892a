// How tests start sanitized programs.
#pragma once

#include <string>

namespace ladder::test_support {

// Returns ASAN_OPTIONS for a program of this build that a test starts. It disables the leak check at exit, a large part
// of a short run's time. Test programs check the same code for leaks, and with LADDER_TEST_ALL every program does.
std::string child_sanitizer_options();

}  // namespace ladder::test_support
