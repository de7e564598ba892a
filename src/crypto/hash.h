// SHA-256 and HMAC-SHA-256. Digests are raw 32 bytes; `digest_text` is the public form "sha256:<64 hex>".
#pragma once

#include <array>
#include <memory>
#include <string>
#include <string_view>

namespace ladder::crypto {

using Digest = std::array<unsigned char, 32>;

Digest sha256(std::string_view bytes);
Digest hmac_sha256(std::string_view key, std::string_view bytes);
std::string digest_text(const Digest& digest);
inline std::string_view view(const Digest& digest) { return {reinterpret_cast<const char*>(digest.data()), digest.size()}; }
Digest to_digest(std::string_view thirty_two_bytes);

// Hashes data that arrives in pieces.
class Sha256 {
 public:
  Sha256();
  ~Sha256();
  Sha256(Sha256&&) noexcept;
  Sha256& operator=(Sha256&&) noexcept;
  void update(std::string_view bytes);
  Digest finish();  // call once

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ladder::crypto
