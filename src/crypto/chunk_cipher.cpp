#include "crypto/chunk_cipher.h"

#include "base/text/bytes.h"
#include "crypto/hash.h"
#include "crypto/random.h"

#include <openssl/evp.h>
#include <sodium.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>

namespace ladder::crypto {
namespace {

constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
static_assert(kNonceBytes + kTagBytes == kChunkOverheadBytes);
static_assert(kChunkKeyBytes == crypto_kdf_KEYBYTES);

const unsigned char* raw(std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); }
unsigned char* raw(std::string& text) { return reinterpret_cast<unsigned char*>(text.data()); }

struct FreeCipherContext {
  void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipherContext>;

// XChaCha20-Poly1305 is ChaCha20-Poly1305 with a key that HChaCha20 derives from the key and the first 16 bytes of the
// nonce; the other 8 bytes are the end of its nonce. libsodium implements it completely and produces the same bytes,
// but OpenSSL's ChaCha20-Poly1305 is nearly three times as fast, and a backup encrypts everything.
enum class Direction : std::uint8_t { kOpen = 0, kSeal = 1 };

CipherContext begin(Direction direction, const unsigned char* key, const unsigned char* nonce, std::string_view name) {
  std::array<unsigned char, crypto_core_hchacha20_OUTPUTBYTES> subkey{};
  crypto_core_hchacha20(subkey.data(), nonce, key, nullptr);
  std::array<unsigned char, crypto_aead_chacha20poly1305_ietf_NPUBBYTES> short_nonce{};
  std::copy_n(nonce + crypto_core_hchacha20_INPUTBYTES, kNonceBytes - crypto_core_hchacha20_INPUTBYTES, short_nonce.data() + 4);
  static EVP_CIPHER* const algorithm = EVP_CIPHER_fetch(nullptr, "ChaCha20-Poly1305", nullptr);
  CipherContext context(EVP_CIPHER_CTX_new());
  int length = 0;
  const bool begun = algorithm != nullptr && context != nullptr &&
                     EVP_CipherInit_ex2(context.get(), algorithm, subkey.data(), short_nonce.data(), static_cast<int>(direction),
                                        nullptr) == 1 &&
                     EVP_CipherUpdate(context.get(), nullptr, &length, raw(name), static_cast<int>(name.size())) == 1;
  sodium_memzero(subkey.data(), subkey.size());
  if (!begun) throw std::runtime_error("OpenSSL has no ChaCha20-Poly1305");
  return context;
}

// Processes in pieces, since OpenSSL's lengths are int.
bool pass(EVP_CIPHER_CTX* context, std::string_view from, unsigned char* to) {
  constexpr std::size_t kPieceBytes = std::size_t{1} << 30;
  for (int length = 0; !from.empty(); from.remove_prefix(std::min(from.size(), kPieceBytes))) {
    const std::size_t piece = std::min(from.size(), kPieceBytes);
    if (EVP_CipherUpdate(context, to, &length, raw(from), static_cast<int>(piece)) != 1) return false;
    to += piece;
  }
  return true;
}

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
  const CipherContext context = begin(Direction::kSeal, encryption_.data(), raw(sealed), name);
  unsigned char* const tag = raw(sealed) + kNonceBytes + plaintext.size();
  int length = 0;
  if (!pass(context.get(), plaintext, raw(sealed) + kNonceBytes) || EVP_CipherFinal_ex(context.get(), tag, &length) != 1 ||
      EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes, tag) != 1) {
    throw std::runtime_error("OpenSSL cannot encrypt");
  }
  return sealed;
}

Result<std::string> ChunkCipher::open(std::string_view name, std::string_view sealed) const {
  if (sealed.size() >= kChunkOverheadBytes) {
    std::string plaintext(sealed.size() - kChunkOverheadBytes, '\0');
    const CipherContext context = begin(Direction::kOpen, encryption_.data(), raw(sealed), name);
    std::array<unsigned char, kTagBytes> tag{};
    std::ranges::copy(sealed.substr(sealed.size() - kTagBytes), tag.begin());
    unsigned char rest = 0;
    int length = 0;
    if (pass(context.get(), sealed.substr(kNonceBytes, plaintext.size()), raw(plaintext)) &&
        EVP_CIPHER_CTX_ctrl(context.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes, tag.data()) == 1 &&
        EVP_CipherFinal_ex(context.get(), &rest, &length) == 1) {
      return plaintext;
    }
  }
  return fail(Code::kDamagedData, "a part of the backup cannot be decrypted: it was changed, or the key is wrong");
}

}  // namespace ladder::crypto
