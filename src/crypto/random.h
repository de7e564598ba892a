// Random bytes from the operating system's generator, and comparison in constant time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::crypto {

std::string random_bytes(std::size_t count);
std::string random_hex(std::size_t bytes);
bool equal_in_constant_time(std::string_view a, std::string_view b);

// Initializes libsodium on first use; thread-safe, and cheap afterwards.
void ensure_sodium();  // throws std::runtime_error if the operating system returns no random bytes

}  // namespace ladder::crypto
