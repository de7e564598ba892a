// Random bytes differ, use every value and have the requested length; constant-time comparison is correct.
#include "crypto/random.h"

#include <gtest/gtest.h>

#include <set>

namespace ladder::crypto {
namespace {

const std::string made_before_main = random_bytes(16);  // must work during static initialization

TEST(RandomBytes, HaveTheRequestedLength) {
  for (const std::size_t size : {0, 1, 16, 24, 32, 1000}) {
    EXPECT_EQ(random_bytes(size).size(), size);
    EXPECT_EQ(random_hex(size).size(), 2 * size);
  }
  EXPECT_EQ(made_before_main.size(), 16u);
}

TEST(RandomBytes, DoNotRepeat) {
  std::set<std::string> seen = {made_before_main};
  for (int i = 0; i < 1000; ++i) EXPECT_TRUE(seen.insert(random_bytes(16)).second);
}

TEST(RandomBytes, UseEveryByteValue) {
  const std::string bytes = random_bytes(1 << 16);  // the chance that a value is missing is e^-256
  EXPECT_EQ(std::set<char>(bytes.begin(), bytes.end()).size(), 256u);
}

TEST(RandomHex, IsLowerCaseHex) { EXPECT_EQ(random_hex(500).find_first_not_of("0123456789abcdef"), std::string::npos); }

TEST(ConstantTime, Compares) {
  EXPECT_TRUE(equal_in_constant_time("", ""));
  EXPECT_TRUE(equal_in_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_in_constant_time("secret", "Secret"));
  EXPECT_FALSE(equal_in_constant_time("secret", "secre"));
  EXPECT_FALSE(equal_in_constant_time("", "s"));
  EXPECT_TRUE(equal_in_constant_time({"a\0b", 3}, {"a\0b", 3}));
  EXPECT_FALSE(equal_in_constant_time({"a\0b", 3}, {"a\0c", 3}));
}

}  // namespace
}  // namespace ladder::crypto
