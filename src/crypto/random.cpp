// Uses libsodium's generator, which reads that of the operating system.
#include "crypto/random.h"

#include "base/text/bytes.h"

#include <sodium.h>
#include <stdexcept>

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

// sodium_init picks the fastest code for this processor and opens the random generator; it must run before all other
// calls.

void ensure_sodium() {
  // A local static, so that it also works during static initialization.
  static const bool started = sodium_init() >= 0;
  if (!started) throw std::runtime_error("libsodium cannot start: the operating system gives no random bytes");
}

}  // namespace ladder::crypto
