// How sanitized programs are started by tests.
#pragma once

#include <string>

namespace ladder::test_support {

// The variable ASAN_OPTIONS for a program of this build that a test starts: it does not look for leaks when it ends, a good part
// of what a short run takes. Test programs look for leaks in the same code, and with LADDER_TEST_ALL every program does.
std::string child_sanitizer_options();

}  // namespace ladder::test_support
