// Sealed texts: encrypted and authenticated with the store's key, URL-safe, opaque (design D6).
//
//   seal_fresh   base64url( version 1 | key id 1 | nonce 24 | XChaCha20-Poly1305 ciphertext ), with a random nonce
//   seal_same    base64url( version 2 | key id 1 | synthetic nonce 16 | XChaCha20 ciphertext ), deterministic: the nonce is a
//                keyed hash of key id, purpose and plaintext, which open() computes again (SIV)
//
// The purpose is authenticated: a text sealed for one purpose cannot be opened for another.
#pragma once

#include "base/error/error.h"
#include "base/limits.h"

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::crypto {

inline constexpr std::size_t kSealKeyBytes = 32;

// Maximum bytes that a seal adds to the plaintext before base64url, for seal_fresh: version, key id, nonce and tag.
inline constexpr std::size_t kSealOverheadBytes = 1 + 1 + 24 + 16;
// The longest plaintext whose seal open() accepts.
inline constexpr std::size_t kMaxPlaintextBytes = limits::kMaxCursorBytes / 4 * 3 - kSealOverheadBytes;

struct SealKey {
  std::uint8_t id = 0;
  std::string secret;  // kSealKeyBytes
};

// Holds the keys of one store. The last key is current; older keys can only open. Immutable; thread-safe.
class Sealer {
 public:
  // Throws std::invalid_argument, a programming error, if there are no keys or a secret does not have kSealKeyBytes
  // bytes.
  explicit Sealer(const std::vector<SealKey>& keys);

  // Throws std::length_error, a programming error, if the plaintext exceeds kMaxPlaintextBytes.
  std::string seal_same(std::string_view purpose, std::string_view plaintext) const;
  std::string seal_fresh(std::string_view purpose, std::string_view plaintext) const;

  // kInvalidCursor when malformed or altered; kCursorExpired when sealed with a key that was removed.
  Result<std::string> open(std::string_view purpose, std::string_view sealed) const;

  // A hash keyed with the current key, for other purposes such as fence keys.
  std::string keyed_hash(std::string_view purpose, std::string_view bytes) const;  // 32 bytes

 private:
  using Subkey = std::array<unsigned char, 32>;

  // One key of the store, with a derived key for each use.
  struct Key {
    std::uint8_t id;
    Subkey encryption;  // of seal_fresh
    Subkey stream;      // of seal_same
    Subkey nonce;
    Subkey hash;
  };

  std::string seal(const Key& key, std::string_view nonce, std::string_view purpose, std::string_view plaintext) const;
  const Key* find(std::uint8_t id) const;

  std::vector<Key> keys_;
};

}  // namespace ladder::crypto
