// sodium_init picks the fastest code for this processor and opens the random generator; it must run before anything else of it.
#include "crypto/sodium.h"

#include <sodium.h>

#include <stdexcept>

namespace ladder::crypto {

void ensure_sodium() {
  // A local static, so that it also works while other statics are being made.
  static const bool started = sodium_init() >= 0;
  if (!started) throw std::runtime_error("libsodium cannot start: the operating system gives no random bytes");
}

}  // namespace ladder::crypto
