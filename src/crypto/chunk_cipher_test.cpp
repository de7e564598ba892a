#include "crypto/chunk_cipher.h"

#include <gtest/gtest.h>
#include <sodium.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace ladder::crypto {
namespace {

const std::string kKey(kChunkKeyBytes, 'k'), kOtherKey(kChunkKeyBytes, 'o');

TEST(ChunkCipher, OpensWhatItSealed) {
  const ChunkCipher cipher(kKey);
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{300'000}}) {
    const std::string plaintext(size, 'x');
    const std::string sealed = cipher.seal("name", plaintext);
    EXPECT_EQ(sealed.size(), size + kChunkOverheadBytes);
    const auto opened = cipher.open("name", sealed);
    ASSERT_TRUE(opened);
    EXPECT_EQ(*opened, plaintext);
  }
}

// Backups of older versions contain the bytes that libsodium produces for the same key, nonce and name.
TEST(ChunkCipher, IsCompatibleWithLibsodium) {
  ASSERT_GE(sodium_init(), 0);
  const ChunkCipher cipher(kKey);
  const auto raw = [](std::string_view text) { return reinterpret_cast<const unsigned char*>(text.data()); };
  std::array<unsigned char, crypto_aead_xchacha20poly1305_ietf_KEYBYTES> key{};
  crypto_kdf_derive_from_key(key.data(), key.size(), 1, "ldrbckup", raw(kKey));
  for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{63}, std::size_t{64}, std::size_t{262'144}}) {
    std::string plaintext(size, '\0');
    randombytes_buf(plaintext.data(), plaintext.size());
    const std::string sealed = cipher.seal("a name", plaintext);
    std::string theirs = sealed.substr(0, crypto_aead_xchacha20poly1305_ietf_NPUBBYTES);
    std::vector<unsigned char> body(size + crypto_aead_xchacha20poly1305_ietf_ABYTES);
    crypto_aead_xchacha20poly1305_ietf_encrypt(body.data(), nullptr, raw(plaintext), size, raw("a name"), 6, nullptr, raw(sealed),
                                               key.data());
    theirs.append(body.begin(), body.end());
    EXPECT_EQ(sealed, theirs) << size;
    EXPECT_EQ(cipher.open("a name", theirs).value_or("it cannot be opened"), plaintext) << size;
  }
}

TEST(ChunkCipher, RejectsChangedBytesAndOtherNamesAndKeys) {
  const ChunkCipher cipher(kKey);
  const std::string sealed = cipher.seal("name", "text");
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    std::string changed = sealed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    EXPECT_FALSE(cipher.open("name", changed)) << at;
  }
  EXPECT_FALSE(cipher.open("other", sealed));
  EXPECT_FALSE(ChunkCipher(kOtherKey).open("name", sealed));
  EXPECT_FALSE(cipher.open("name", sealed.substr(0, kChunkOverheadBytes - 1)));
}

TEST(ChunkCipher, NamesDependOnTextAndKey) {
  const ChunkCipher cipher(kKey);
  EXPECT_EQ(cipher.name_of("a"), cipher.name_of("a"));
  EXPECT_NE(cipher.name_of("a"), cipher.name_of("b"));
  EXPECT_NE(cipher.name_of("a"), ChunkCipher(kOtherKey).name_of("a"));
  EXPECT_EQ(cipher.name_of("a").size(), 64U);
}

TEST(ChunkCipher, RequiresKeysOfTheRightLength) { EXPECT_THROW(ChunkCipher(std::string(31, 'k')), std::invalid_argument); }

}  // namespace
}  // namespace ladder::crypto
