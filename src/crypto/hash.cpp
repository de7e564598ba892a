// SHA-256 and HMAC with OpenSSL. Looking up an algorithm costs several times as much as hashing a token, so each is
// fetched once and every thread reuses a context. The fetched objects are never freed: OpenSSL's exit handler may run
// before ours.
#include "crypto/hash.h"

#include "base/text/bytes.h"

#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/params.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace ladder::crypto {
namespace {

// OpenSSL's calls fail here only if memory runs out or its installation is broken; a caller cannot handle that.
void must(bool succeeded) {
  if (!succeeded) throw std::runtime_error("OpenSSL refuses SHA-256: its installation is broken, or memory has run out");
}

const EVP_MD* sha256_algorithm() {
  static const EVP_MD* const algorithm = EVP_MD_fetch(nullptr, "SHA256", nullptr);
  must(algorithm != nullptr);
  return algorithm;
}

struct FreeDigestContext {
  void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
};
using DigestContext = std::unique_ptr<EVP_MD_CTX, FreeDigestContext>;

DigestContext new_digest_context() {
  DigestContext context(EVP_MD_CTX_new());
  if (!context) throw std::bad_alloc();
  return context;
}

struct FreeMacContext {
  void operator()(EVP_MAC_CTX* context) const { EVP_MAC_CTX_free(context); }
};
using MacContext = std::unique_ptr<EVP_MAC_CTX, FreeMacContext>;

MacContext new_hmac_context() {
  static EVP_MAC* const algorithm = EVP_MAC_fetch(nullptr, OSSL_MAC_NAME_HMAC, nullptr);
  must(algorithm != nullptr);
  MacContext context(EVP_MAC_CTX_new(algorithm));
  if (!context) throw std::bad_alloc();
  char digest_name[] = "SHA256";
  const OSSL_PARAM parameters[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest_name, 0),
                                   OSSL_PARAM_construct_end()};
  must(EVP_MAC_CTX_set_params(context.get(), parameters) == 1);
  return context;
}

const unsigned char* bytes_of(std::string_view bytes) {
  static const unsigned char nothing = 0;  // OpenSSL treats a null key as "the previous key"
  return bytes.data() == nullptr ? &nothing : reinterpret_cast<const unsigned char*>(bytes.data());
}

}  // namespace

Digest sha256(std::string_view bytes) {
  thread_local const DigestContext context = new_digest_context();
  Digest digest;
  must(EVP_DigestInit_ex2(context.get(), sha256_algorithm(), nullptr) == 1 &&
       EVP_DigestUpdate(context.get(), bytes.data(), bytes.size()) == 1 &&
       EVP_DigestFinal_ex(context.get(), digest.data(), nullptr) == 1);
  return digest;
}

Digest hmac_sha256(std::string_view key, std::string_view bytes) {
  thread_local const MacContext context = new_hmac_context();
  Digest digest;
  std::size_t written = 0;
  must(EVP_MAC_init(context.get(), bytes_of(key), key.size(), nullptr) == 1 &&
       EVP_MAC_update(context.get(), bytes_of(bytes), bytes.size()) == 1 &&
       EVP_MAC_final(context.get(), digest.data(), &written, digest.size()) == 1 && written == digest.size());
  return digest;
}

std::string digest_text(const Digest& digest) { return "sha256:" + to_hex(view(digest)); }

Digest to_digest(std::string_view thirty_two_bytes) {
  Digest digest{};
  std::copy_n(thirty_two_bytes.begin(), std::min(thirty_two_bytes.size(), digest.size()), digest.begin());
  return digest;
}

struct Sha256::State {
  DigestContext context = new_digest_context();
};

Sha256::Sha256() : state_(std::make_unique<State>()) {
  must(EVP_DigestInit_ex2(state_->context.get(), sha256_algorithm(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;
Sha256& Sha256::operator=(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes) { must(EVP_DigestUpdate(state_->context.get(), bytes.data(), bytes.size()) == 1); }

Digest Sha256::finish() {
  Digest digest;
  must(EVP_DigestFinal_ex(state_->context.get(), digest.data(), nullptr) == 1);
  return digest;
}

}  // namespace ladder::crypto
