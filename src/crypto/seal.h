// Sealed texts: encrypted and authenticated with the store's key, URL-safe, opaque (design D6).
//
//   seal_fresh   base64url( version 1 | key id 1 | nonce 24 | XChaCha20-Poly1305 ciphertext ), with a random nonce
//   seal_same    base64url( version 2 | key id 1 | synthetic nonce 16 | XChaCha20 ciphertext ), the same text for the same
//                plaintext: its nonce is a keyed hash of key id, purpose and plaintext, which opening computes again (SIV)
//
// The purpose is authenticated: a text sealed for one use does not open for another.
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

// The most that a seal adds to the plaintext before base64url, as seal_fresh does: version, key id, nonce and tag.
inline constexpr std::size_t kSealOverheadBytes = 1 + 1 + 24 + 16;
// The longest plaintext whose seal `open` takes.
inline constexpr std::size_t kMaxPlaintextBytes = limits::kMaxCursorBytes / 4 * 3 - kSealOverheadBytes;

struct SealKey {
  std::uint8_t id = 0;
  std::string secret;  // kSealKeyBytes
};

// Holds the keys of one store; the last is current, the others still open. Immutable, safe to share between threads.
class Sealer {
 public:
  // Not empty, each secret of kSealKeyBytes; anything else is a fault of the program and throws std::invalid_argument.
  explicit Sealer(const std::vector<SealKey>& keys);

  // Plaintexts of at most kMaxPlaintextBytes; longer ones are a fault of the program and throw std::length_error.
  std::string seal_same(std::string_view purpose, std::string_view plaintext) const;
  std::string seal_fresh(std::string_view purpose, std::string_view plaintext) const;

  // kInvalidCursor when malformed or tampered with; kCursorExpired when sealed by a key that is no longer held.
  Result<std::string> open(std::string_view purpose, std::string_view sealed) const;

  // A hash keyed by the current key, for other uses of it, e.g. fence keys.
  std::string keyed_hash(std::string_view purpose, std::string_view bytes) const;  // 32 bytes

 private:
  using Subkey = std::array<unsigned char, 32>;

  // One key of the store, split by use when it is loaded.
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
