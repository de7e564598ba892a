// Random bytes from the operating system's generator, and comparison in constant time.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ladder::crypto {

std::string random_bytes(std::size_t count);
std::string random_hex(std::size_t bytes);
bool equal_in_constant_time(std::string_view a, std::string_view b);

// Starts libsodium on first use, whichever file or thread comes first; cheap afterwards.
void ensure_sodium();  // std::runtime_error when the operating system gives no random bytes

}  // namespace ladder::crypto
