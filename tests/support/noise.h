// Incompressible text, for tests that need to take up space. A seed always gives the same text.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ladder::test_support {

// Returns random letters and digits; compressed they take three quarters of their size.
std::string noise(std::size_t letters, std::uint64_t seed);

}  // namespace ladder::test_support
