#include "crypto/signature.h"

#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <openssl/x509.h>

#include <array>
#include <memory>
#include <string>

namespace ladder::crypto {
namespace {

constexpr int kMinRsaBits = 2048;
constexpr std::size_t kMaxKeyBytes = 4096;

struct FreeKey {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
};
struct FreeContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using Key = std::unique_ptr<EVP_PKEY, FreeKey>;

const unsigned char* in(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }

bool is_p256(const EVP_PKEY* key) {
  std::array<char, 64> group{};
  std::size_t length = 0;
  if (EVP_PKEY_get_group_name(key, group.data(), group.size(), &length) != 1) return false;
  const std::string_view name(group.data(), length);
  return name == "prime256v1" || name == "P-256";
}

// Returns null if it is not a key for that algorithm.
Key read_key(std::int64_t algorithm, std::string_view spki) {
  if (spki.empty() || spki.size() > kMaxKeyBytes) return nullptr;
  const unsigned char* at = in(spki);
  Key key(d2i_PUBKEY(nullptr, &at, static_cast<long>(spki.size())));
  if (!key || at != in(spki) + spki.size()) return nullptr;
  const int kind = EVP_PKEY_get_base_id(key.get());
  const bool fits = (algorithm == kCoseEs256 && kind == EVP_PKEY_EC && is_p256(key.get())) ||
                    (algorithm == kCoseEdDsa && kind == EVP_PKEY_ED25519) ||
                    (algorithm == kCoseRs256 && kind == EVP_PKEY_RSA && EVP_PKEY_get_bits(key.get()) >= kMinRsaBits);
  return fits ? std::move(key) : nullptr;
}

}  // namespace

bool is_public_key(std::int64_t cose_algorithm, std::string_view spki) { return read_key(cose_algorithm, spki) != nullptr; }

bool is_signature(std::int64_t cose_algorithm, std::string_view spki, std::string_view message, std::string_view signature) {
  const Key key = read_key(cose_algorithm, spki);
  if (!key) return false;
  const std::unique_ptr<EVP_MD_CTX, FreeContext> context(EVP_MD_CTX_new());
  const EVP_MD* digest = cose_algorithm == kCoseEdDsa ? nullptr : EVP_sha256();
  if (!context || EVP_DigestVerifyInit(context.get(), nullptr, digest, nullptr, key.get()) != 1) return false;
  return EVP_DigestVerify(context.get(), in(signature), signature.size(), in(message), message.size()) == 1;
}

}  // namespace ladder::crypto
