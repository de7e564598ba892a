#include "crypto/passphrase.h"

#include <gtest/gtest.h>

namespace ladder::crypto {
namespace {

TEST(Passphrase, OnlyTheSameOneVerifies) {
  const std::string hash = hash_passphrase("correct horse battery staple");
  EXPECT_TRUE(hash.starts_with("$argon2id$")) << hash;
  EXPECT_TRUE(is_passphrase(hash, "correct horse battery staple"));
  EXPECT_FALSE(is_passphrase(hash, "correct horse battery stapl"));
  EXPECT_FALSE(is_passphrase(hash, ""));
  EXPECT_FALSE(is_passphrase(dummy_hash(), "correct horse battery staple"));
  EXPECT_FALSE(is_passphrase("no hash", "correct horse battery staple"));
}

TEST(Passphrase, DetectsHashesWithWeakerParameters) {
  EXPECT_FALSE(is_weak_hash(hash_passphrase("twelve chars")));
  EXPECT_TRUE(is_weak_hash("$argon2id$v=19$m=8192,t=1,p=1$c29tZXNhbHRzb21lc2FsdA$YXNkZmFzZGZhc2RmYXNkZmFzZGZhc2RmYXNkZmFzZGY"));
}

}  // namespace
}  // namespace ladder::crypto
