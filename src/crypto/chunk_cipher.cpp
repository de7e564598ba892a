#include "crypto/chunk_cipher.h"

#include "base/text/bytes.h"
#include "crypto/hash.h"
#include "crypto/random.h"

#include <sodium.h>

#include <stdexcept>

namespace ladder::crypto {
namespace {

constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(kNonceBytes + kTagBytes == kChunkOverheadBytes);
static_assert(kChunkKeyBytes == crypto_kdf_KEYBYTES);

const unsigned char* raw(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* raw(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

}  // namespace

ChunkCipher::ChunkCipher(std::string_view key) {
  if (key.size() != kChunkKeyBytes) throw std::invalid_argument("a backup key has 32 bytes");
  ensure_sodium();
  crypto_kdf_derive_from_key(encryption_.data(), encryption_.size(), 1, "ldrbckup", raw(key));
  crypto_kdf_derive_from_key(naming_.data(), naming_.size(), 2, "ldrbckup", raw(key));
}

std::string ChunkCipher::name_of(std::string_view plaintext) const {
  return to_hex(view(hmac_sha256({reinterpret_cast<const char*>(naming_.data()), naming_.size()}, plaintext)));
}

std::string ChunkCipher::seal(std::string_view name, std::string_view plaintext) const {
  std::string sealed = random_bytes(kNonceBytes);
  sealed.resize(kNonceBytes + plaintext.size() + kTagBytes);
  unsigned long long length = 0;
  crypto_aead_xchacha20poly1305_ietf_encrypt(raw(sealed) + kNonceBytes, &length, raw(plaintext), plaintext.size(), raw(name),
                                             name.size(), nullptr, raw(sealed), encryption_.data());
  return sealed;
}

Result<std::string> ChunkCipher::open(std::string_view name, std::string_view sealed) const {
  if (sealed.size() >= kChunkOverheadBytes) {
    std::string plaintext(sealed.size() - kChunkOverheadBytes, '\0');
    unsigned long long length = 0;
    const std::string_view body = sealed.substr(kNonceBytes);
    if (crypto_aead_xchacha20poly1305_ietf_decrypt(raw(plaintext), &length, nullptr, raw(body), body.size(), raw(name),
                                                   name.size(), raw(sealed), encryption_.data()) == 0) {
      return plaintext;
    }
  }
  return fail(Code::kDamagedData, "a part of the backup cannot be decrypted: it was changed, or the key is another one");
}

}  // namespace ladder::crypto
