#include "crypto/chunk_cipher.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>

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

TEST(ChunkCipher, RefusesEveryChangedByteAnotherNameAndAnotherKey) {
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

TEST(ChunkCipher, TakesKeysOfOneLengthOnly) { EXPECT_THROW(ChunkCipher(std::string(31, 'k')), std::invalid_argument); }

}  // namespace
}  // namespace ladder::crypto
