// Names, encrypts and authenticates the chunks of a backup with a key that the owner keeps apart from it.
//
//   nonce 24 | XChaCha20-Poly1305 ciphertext and tag; the name of the chunk is authenticated with it
//
// The name of a chunk is a keyed hash of its plaintext: equal chunks are stored once, and a name tells nothing without the key.
#pragma once

#include "base/error/error.h"

#include <array>
#include <string>
#include <string_view>

namespace ladder::crypto {

inline constexpr std::size_t kChunkKeyBytes = 32;
inline constexpr std::size_t kChunkOverheadBytes = 24 + 16;

// Immutable, safe to share between threads.
class ChunkCipher {
 public:
  // A key of another length than kChunkKeyBytes is a fault of the program and throws std::invalid_argument.
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
