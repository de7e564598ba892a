// Creates tokens and checks their shape.
#include "server/access/token.h"

#include "base/limits.h"
#include "base/text/base64.h"
#include "crypto/random.h"

namespace ladder::server {
namespace {

constexpr std::size_t kSecretBytes = 32;
constexpr std::size_t kIdBytes = 8;
constexpr std::string_view kOwnerPrefix = "ldr_o_";
constexpr std::string_view kClientPrefix = "ldr_c_";

}  // namespace

std::string new_token(store::TokenKind kind) {
  const std::string_view prefix = kind == store::TokenKind::kOwner ? kOwnerPrefix : kClientPrefix;
  return std::string(prefix) + base64url::encode(crypto::random_bytes(kSecretBytes));
}

bool has_token_shape(std::string_view text) {
  if (text.size() > limits::kMaxTokenBytes) return false;
  if (!text.starts_with(kOwnerPrefix) && !text.starts_with(kClientPrefix)) return false;
  const auto secret = base64url::decode(text.substr(kOwnerPrefix.size()));
  return secret && secret->size() == kSecretBytes;
}

store::Digest token_hash(std::string_view token) { return crypto::sha256(token); }

std::string token_id(const store::Digest& hash) {
  constexpr std::string_view kHex = "0123456789abcdef";
  std::string id = "tok_";
  for (std::size_t i = 0; i < kIdBytes; ++i) {
    id += kHex[hash[i] >> 4U];
    id += kHex[hash[i] & 0x0FU];
  }
  return id;
}

}  // namespace ladder::server
