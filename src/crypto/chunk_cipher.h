// Names, encrypts and authenticates the chunks of a backup with a key that the owner stores separately.
//
//   nonce 24 | XChaCha20-Poly1305 ciphertext and tag; the chunk's name is authenticated as associated data
//
// The name of a chunk is a keyed hash of its plaintext: equal chunks are stored once, and a name reveals nothing
// without the key.
#pragma once

#include "base/error/error.h"

#include <array>
#include <string>
#include <string_view>

namespace ladder::crypto {

inline constexpr std::size_t kChunkKeyBytes = 32;
inline constexpr std::size_t kChunkOverheadBytes = 24 + 16;

// Immutable; thread-safe.
class ChunkCipher {
 public:
  // Throws std::invalid_argument if the key does not have kChunkKeyBytes bytes, which is a programming error.
  explicit ChunkCipher(std::string_view key);

  std::string name_of(std::string_view plaintext) const;  // 64 hex digits
  std::string seal(std::string_view name, std::string_view plaintext) const;
  // kDamagedData when it was changed, belongs to another name, or was sealed with another key.
  Result<std::string> open(std::string_view name, std::string_view sealed) const;

 private:
  using Subkey = std::array<unsigned char, 32>;
  Subkey encryption_{}, naming_{};
};

}  // namespace ladder::crypto
