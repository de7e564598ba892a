// libsodium's generator, which reads the operating system's.
#include "crypto/random.h"

#include "base/bytes.h"
#include "crypto/sodium.h"

#include <sodium.h>

namespace ladder::crypto {

std::string random_bytes(std::size_t count) {
  ensure_sodium();
  std::string bytes(count, '\0');
  randombytes_buf(bytes.data(), bytes.size());
  return bytes;
}

std::string random_hex(std::size_t bytes) { return to_hex(random_bytes(bytes)); }

bool equal_in_constant_time(std::string_view a, std::string_view b) {
  return a.size() == b.size() && sodium_memcmp(a.data(), b.data(), a.size()) == 0;
}

}  // namespace ladder::crypto
