// SHA-256 and HMAC against published vectors (FIPS 180-4, RFC 4231).
#include "crypto/hash.h"

#include "base/text/bytes.h"

#include <gtest/gtest.h>

#include <random>
#include <thread>
#include <vector>

namespace ladder::crypto {
namespace {

std::string hex(const Digest& digest) { return to_hex(view(digest)); }

TEST(Sha256Test, PublishedVectors) {
  const struct {
    std::string bytes;
    std::string_view digest;
  } cases[] = {
      {"", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"},
      {"abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"},
      {"abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
       "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"},
      {std::string(1'000'000, 'a'), "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"},
  };
  for (const auto& [bytes, digest] : cases) EXPECT_EQ(hex(sha256(bytes)), digest);
}

TEST(Sha256Test, PiecesHashLikeTheCompleteText) {
  std::mt19937 random(8);
  for (std::size_t size = 0; size < 400; size += 13) {
    std::string bytes(size, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    Sha256 hash;
    std::string_view rest = bytes;
    while (!rest.empty()) {
      const std::string_view piece = rest.substr(0, random() % 70);
      hash.update(piece);
      rest.remove_prefix(piece.size());
    }
    EXPECT_EQ(hash.finish(), sha256(bytes)) << size;
  }
}

TEST(Sha256Test, MovesAndInterleaves) {
  Sha256 first, second;
  first.update("a");
  second.update("x");
  EXPECT_NE(sha256("in between"), Digest{});
  Sha256 moved = std::move(first);
  moved.update("bc");
  second = std::move(moved);
  EXPECT_EQ(second.finish(), sha256("abc"));
}

TEST(HmacTest, PublishedVectors) {
  const struct {
    std::string key, bytes;
    std::string_view digest;
  } cases[] = {
      {std::string(20, '\x0b'), "Hi There", "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"},
      {"Jefe", "what do ya want for nothing?", "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"},
      {std::string(20, '\xaa'), std::string(50, '\xdd'), "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe"},
      {std::string(131, '\xaa'), "Test Using Larger Than Block-Size Key - Hash Key First",
       "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54"},
  };
  for (const auto& [key, bytes, digest] : cases) EXPECT_EQ(hex(hmac_sha256(key, bytes)), digest);
}

TEST(HmacTest, AnEmptyKeyIsNotThePreviousKey) {
  const std::string_view of_nothing = "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad";
  hmac_sha256("another key", "text");
  EXPECT_EQ(hex(hmac_sha256("", "")), of_nothing);
  hmac_sha256("another key", "text");
  EXPECT_EQ(hex(hmac_sha256(std::string_view(), std::string_view())), of_nothing);
}

TEST(DigestTest, TextAndBytes) {
  const Digest digest = sha256("abc");
  EXPECT_EQ(digest_text(digest), "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(view(digest).size(), 32u);
  EXPECT_EQ(to_digest(view(digest)), digest);
}

TEST(Sha256Test, IsThreadSafe) {
  const Digest hash = sha256("abc");
  const Digest mac = hmac_sha256("key", "abc");
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int& faults : wrong) {
      threads.emplace_back([&faults, &hash, &mac] {
        for (int i = 0; i < 2000; ++i) faults += sha256("abc") != hash || hmac_sha256("key", "abc") != mac ? 1 : 0;
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace ladder::crypto
