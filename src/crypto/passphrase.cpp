#include "crypto/passphrase.h"

#include "crypto/random.h"

#include <sodium.h>

#include <array>
#include <new>
#include <semaphore>

namespace ladder::crypto {
namespace {

constexpr std::ptrdiff_t kAtOnce = 2;
std::counting_semaphore<kAtOnce> turns(kAtOnce);

// Holds one of the slots during its lifetime.
class Turn {
 public:
  Turn() { turns.acquire(); }
  ~Turn() { turns.release(); }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;
};

}  // namespace

std::string hash_passphrase(std::string_view passphrase) {
  ensure_sodium();
  const Turn turn;
  std::array<char, crypto_pwhash_STRBYTES> hash{};
  if (crypto_pwhash_str_alg(hash.data(), passphrase.data(), passphrase.size(), kPassphraseOperations, kPassphraseMemory,
                            crypto_pwhash_ALG_ARGON2ID13) != 0) {
    throw std::bad_alloc();
  }
  return hash.data();
}

bool is_passphrase(std::string_view hash, std::string_view passphrase) {
  ensure_sodium();
  const Turn turn;
  const std::string terminated(hash);
  return crypto_pwhash_str_verify(terminated.c_str(), passphrase.data(), passphrase.size()) == 0;
}

bool is_weak_hash(std::string_view hash) {
  ensure_sodium();
  const std::string terminated(hash);
  return crypto_pwhash_str_needs_rehash(terminated.c_str(), kPassphraseOperations, kPassphraseMemory) != 0;
}

const std::string& dummy_hash() {
  static const std::string hash = hash_passphrase(random_bytes(32));
  return hash;
}

}  // namespace ladder::crypto
