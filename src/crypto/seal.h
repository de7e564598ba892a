// Sealed texts: encrypted and authenticated with the store's key, URL-safe, opaque (design D6).
//
//   base64url( version 1 | key id 1 | nonce 24 | XChaCha20-Poly1305 ciphertext )
//
// `seal_same` derives the nonce from key, purpose and plaintext, so that the same plaintext gives the same text; `seal_fresh`
// draws a random nonce. The purpose is authenticated: a text sealed for one use does not open for another.
#pragma once

#include "base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::crypto {

inline constexpr std::size_t kSealKeyBytes = 32;

struct SealKey {
  std::uint8_t id = 0;
  std::string secret;  // kSealKeyBytes
};

// Holds the keys of one store; the last is current, the others still open. Immutable, safe to share between threads.
class Sealer {
 public:
  explicit Sealer(std::vector<SealKey> keys);  // not empty

  std::string seal_same(std::string_view purpose, std::string_view plaintext) const;
  std::string seal_fresh(std::string_view purpose, std::string_view plaintext) const;

  // kInvalidCursor when malformed or tampered with; kCursorExpired when sealed by a key that is no longer held.
  Result<std::string> open(std::string_view purpose, std::string_view sealed) const;

  // A keyed hash for other uses of the store's key, e.g. fence keys.
  std::string keyed_hash(std::string_view purpose, std::string_view bytes) const;  // 32 bytes

 private:
  std::vector<SealKey> keys_;
};

}  // namespace ladder::crypto
