// Text that a store cannot make much smaller: for tests in which it must take up room. The same for the same seed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace ladder::test_support {

// Letters from A to z and digits, all equally likely: compressed they take three quarters of their size.
std::string noise(std::size_t letters, std::uint64_t seed);

}  // namespace ladder::test_support
