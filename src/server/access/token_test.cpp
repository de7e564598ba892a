// Tests for the shape of tokens.
#include "server/access/token.h"

#include "base/text/bytes.h"

#include <gtest/gtest.h>

#include <set>

namespace ladder::server {
namespace {

using store::TokenKind;

TEST(Token, HasAKindPrefixAnd256RandomBits) {
  std::set<std::string> all;
  for (int i = 0; i < 100; ++i) {
    const std::string owner = new_token(TokenKind::kOwner), client = new_token(TokenKind::kClient);
    EXPECT_EQ(owner.substr(0, 6), "ldr_o_");
    EXPECT_EQ(client.substr(0, 6), "ldr_c_");
    EXPECT_EQ(owner.size(), 6U + 43U);
    EXPECT_TRUE(has_token_shape(owner));
    EXPECT_TRUE(has_token_shape(client));
    all.insert(owner.substr(6));
    all.insert(client.substr(6));
  }
  EXPECT_EQ(all.size(), 200U);
}

TEST(Token, RejectsOtherShapes) {
  const std::string token = new_token(TokenKind::kClient);
  EXPECT_FALSE(has_token_shape(""));
  EXPECT_FALSE(has_token_shape("ldr_c_"));
  EXPECT_FALSE(has_token_shape(token.substr(0, token.size() - 1)));
  EXPECT_FALSE(has_token_shape(token + "A"));
  EXPECT_FALSE(has_token_shape(" " + token));
  EXPECT_FALSE(has_token_shape(token + "\n"));
  EXPECT_FALSE(has_token_shape("ldr_x_" + token.substr(6)));
  EXPECT_FALSE(has_token_shape(token.substr(0, 48) + std::string(1, '\0')));
  EXPECT_FALSE(has_token_shape("ldr_c_" + std::string(100'000, 'A')));
}

TEST(Token, IsHashedWithSha256) {
  EXPECT_EQ(to_hex(crypto::view(token_hash("abc"))), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

}  // namespace
}  // namespace ladder::server
