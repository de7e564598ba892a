// Seals with libsodium. The store's secret is never used directly: four keys are derived from it by keyed BLAKE2b with
// separate labels, for the two ways of sealing, for nonces and for keyed_hash, so that one use reveals nothing about
// another.
#include "crypto/seal.h"

#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "crypto/random.h"

#include <sodium.h>

#include <algorithm>
#include <stdexcept>

namespace ladder::crypto {
namespace {

constexpr char kVersion = 1;      // of seal_fresh
constexpr char kSameVersion = 2;  // of seal_same
constexpr std::size_t kNonceBytes = crypto_aead_xchacha20poly1305_ietf_NPUBBYTES;
constexpr std::size_t kTagBytes = crypto_aead_xchacha20poly1305_ietf_ABYTES;
constexpr std::size_t kHeaderBytes = 2;  // version and key id
static_assert(kHeaderBytes + kNonceBytes + kTagBytes == kSealOverheadBytes);
// A synthetic nonce: a keyed hash of the sealed data that both encrypts and authenticates it (SIV, RFC 5297).
constexpr std::size_t kSyntheticBytes = 16;
constexpr std::size_t kSealSameOverheadBytes = kHeaderBytes + kSyntheticBytes;
static_assert(crypto_stream_xchacha20_NONCEBYTES == kNonceBytes && crypto_stream_xchacha20_KEYBYTES == 32);
static_assert(crypto_aead_xchacha20poly1305_ietf_KEYBYTES == 32);

const unsigned char* in(std::string_view bytes) { return reinterpret_cast<const unsigned char*>(bytes.data()); }
unsigned char* out(char* bytes) { return reinterpret_cast<unsigned char*>(bytes); }

std::array<unsigned char, 32> derive(std::string_view secret, std::string_view label) {
  std::array<unsigned char, 32> subkey;
  crypto_generichash(subkey.data(), subkey.size(), in(label), label.size(), in(secret), secret.size());
  return subkey;
}

// BLAKE2b of purpose and text; the purpose's length comes first, so that different pairs never hash the same bytes.
void keyed_blake(char* hash, std::size_t hash_bytes, const std::array<unsigned char, 32>& key, std::string_view purpose,
                 std::string_view text) {
  std::string length;
  put_u64_be(length, purpose.size());
  crypto_generichash_state state;
  crypto_generichash_init(&state, key.data(), key.size(), hash_bytes);
  crypto_generichash_update(&state, in(length), length.size());
  crypto_generichash_update(&state, in(purpose), purpose.size());
  crypto_generichash_update(&state, in(text), text.size());
  crypto_generichash_final(&state, out(hash), hash_bytes);
}

std::string authenticated_data(char version, std::uint8_t key_id, std::string_view purpose) {
  std::string data;
  data.reserve(kHeaderBytes + purpose.size());
  data.push_back(version);
  data.push_back(static_cast<char>(key_id));
  data.append(purpose);
  return data;
}

// Encrypts or decrypts with the stream of the synthetic nonce, padded with zeros to the cipher's nonce length.
void apply_stream(char* bytes, std::size_t count, std::string_view synthetic, const std::array<unsigned char, 32>& key) {
  unsigned char nonce[kNonceBytes] = {};
  std::copy(synthetic.begin(), synthetic.end(), nonce);
  crypto_stream_xchacha20_xor(out(bytes), out(bytes), count, nonce, key.data());
}

std::unexpected<Error> invalid() {
  return fail(Code::kInvalidCursor,
              "The cursor is invalid: this store did not create it, or it was changed. Start again without a cursor.", "cursor");
}

}  // namespace

Sealer::Sealer(const std::vector<SealKey>& keys) {
  if (keys.empty()) throw std::invalid_argument("a Sealer needs at least one key");
  ensure_sodium();
  for (const SealKey& key : keys) {
    if (key.secret.size() != kSealKeyBytes) throw std::invalid_argument("the secret of a seal key has 32 bytes");
    keys_.push_back({key.id, derive(key.secret, "ladder seal encryption"), derive(key.secret, "ladder seal stream"),
                     derive(key.secret, "ladder seal nonce"), derive(key.secret, "ladder keyed hash")});
  }
}

std::string Sealer::seal(const Key& key, std::string_view nonce, std::string_view purpose, std::string_view plaintext) const {
  if (plaintext.size() > kMaxPlaintextBytes) throw std::length_error("the plaintext is too long to seal");
  const std::string data = authenticated_data(kVersion, key.id, purpose);
  std::string sealed(kSealOverheadBytes + plaintext.size(), '\0');
  std::copy_n(data.begin(), kHeaderBytes, sealed.begin());
  std::copy(nonce.begin(), nonce.end(), sealed.begin() + kHeaderBytes);
  crypto_aead_xchacha20poly1305_ietf_encrypt(out(sealed.data()) + kHeaderBytes + kNonceBytes, nullptr, in(plaintext),
                                             plaintext.size(), in(data), data.size(), nullptr, in(nonce), key.encryption.data());
  return base64url::encode(sealed);
}

std::string Sealer::seal_same(std::string_view purpose, std::string_view plaintext) const {
  if (plaintext.size() > kMaxPlaintextBytes) throw std::length_error("the plaintext is too long to seal");
  const Key& key = keys_.back();
  const std::string data = authenticated_data(kSameVersion, key.id, purpose);
  std::string sealed = data.substr(0, kHeaderBytes);
  sealed.resize(kSealSameOverheadBytes);
  keyed_blake(sealed.data() + kHeaderBytes, kSyntheticBytes, key.nonce, data, plaintext);
  sealed.append(plaintext);
  apply_stream(sealed.data() + kSealSameOverheadBytes, plaintext.size(),
               std::string_view(sealed).substr(kHeaderBytes, kSyntheticBytes), key.stream);
  return base64url::encode(sealed);
}

std::string Sealer::seal_fresh(std::string_view purpose, std::string_view plaintext) const {
  return seal(keys_.back(), random_bytes(kNonceBytes), purpose, plaintext);
}

Result<std::string> Sealer::open(std::string_view purpose, std::string_view sealed) const {
  if (sealed.size() > limits::kMaxCursorBytes) return invalid();
  const auto bytes = base64url::decode(sealed);
  if (!bytes || bytes->empty()) return invalid();
  const bool is_same = bytes->front() == kSameVersion;
  if (!is_same && bytes->front() != kVersion) return invalid();
  if (bytes->size() < (is_same ? kSealSameOverheadBytes : kSealOverheadBytes)) return invalid();
  const auto key_id = static_cast<std::uint8_t>((*bytes)[1]);
  const Key* const key = find(key_id);
  if (key == nullptr) {
    return fail(Code::kCursorExpired, "The cursor has expired: its key is no longer in use. Start again without a cursor.",
                "cursor");
  }
  if (is_same) {
    const std::string_view synthetic = std::string_view(*bytes).substr(kHeaderBytes, kSyntheticBytes);
    std::string plaintext = bytes->substr(kSealSameOverheadBytes);
    apply_stream(plaintext.data(), plaintext.size(), synthetic, key->stream);
    char expected[kSyntheticBytes];
    keyed_blake(expected, sizeof expected, key->nonce, authenticated_data(kSameVersion, key_id, purpose), plaintext);
    if (sodium_memcmp(expected, synthetic.data(), sizeof expected) != 0) return invalid();
    return plaintext;
  }
  const std::string_view nonce = std::string_view(*bytes).substr(kHeaderBytes, kNonceBytes);
  const std::string_view ciphertext = std::string_view(*bytes).substr(kHeaderBytes + kNonceBytes);
  const std::string data = authenticated_data(kVersion, key_id, purpose);
  std::string plaintext(ciphertext.size() - kTagBytes, '\0');
  if (crypto_aead_xchacha20poly1305_ietf_decrypt(out(plaintext.data()), nullptr, nullptr, in(ciphertext), ciphertext.size(),
                                                 in(data), data.size(), in(nonce), key->encryption.data()) != 0) {
    return invalid();
  }
  return plaintext;
}

std::string Sealer::keyed_hash(std::string_view purpose, std::string_view bytes) const {
  std::string hash(32, '\0');
  keyed_blake(hash.data(), hash.size(), keys_.back().hash, purpose, bytes);
  return hash;
}

const Sealer::Key* Sealer::find(std::uint8_t id) const {
  const auto key = std::find_if(keys_.rbegin(), keys_.rend(), [id](const Key& held) { return held.id == id; });
  return key == keys_.rend() ? nullptr : &*key;
}

}  // namespace ladder::crypto
