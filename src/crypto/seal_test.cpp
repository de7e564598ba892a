// A sealed text opens only for its purpose and key.
#include "crypto/seal.h"

#include "base/text/base64.h"
#include "base/text/bytes.h"
#include "crypto/random.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <thread>

namespace ladder::crypto {
namespace {

constexpr std::string_view kAlphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

SealKey key(std::uint8_t id, char fill) { return {id, std::string(kSealKeyBytes, fill)}; }

std::string plaintext_of(std::size_t size) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text.push_back(static_cast<char>(i * 7));
  return text;
}

void expect_refused(const Result<std::string>& opened, std::string_view what) {
  ASSERT_FALSE(opened.has_value()) << what;
  EXPECT_EQ(opened.error().code, Code::kInvalidCursor) << what;
  EXPECT_EQ(opened.error().param, "cursor") << what;
}

TEST(Seal, OpensWhatItSealed) {
  const Sealer sealer({key(1, 'a')});
  for (const std::size_t size : {0, 1, 2, 3, 15, 16, 17, 63, 64, 65, 100, 500}) {
    const std::string plaintext = plaintext_of(size);
    const std::string same = sealer.seal_same("window", plaintext), fresh = sealer.seal_fresh("window", plaintext);
    for (const std::string& sealed : {same, fresh}) {
      EXPECT_EQ(sealer.open("window", sealed).value(), plaintext);
      EXPECT_EQ(sealed.find_first_not_of(kAlphabet), std::string::npos);
    }
    EXPECT_EQ(same.size(), ((size + 1 + 1 + 16) * 8 + 5) / 6);
    EXPECT_EQ(fresh.size(), ((size + kSealOverheadBytes) * 8 + 5) / 6);
  }
  EXPECT_EQ(sealer.open("", sealer.seal_same("", "no purpose")).value(), "no purpose");
}

TEST(Seal, LayoutIsVersionKeyNonceCiphertext) {
  const Sealer sealer({key(1, 'a'), key(200, 'b')});
  const std::string fresh = base64url::decode(sealer.seal_fresh("window", "plain and simple")).value();
  EXPECT_EQ(fresh.size(), 2 + 24 + 16 + 16u);
  EXPECT_EQ(fresh[0], 1);
  const std::string bytes = base64url::decode(sealer.seal_same("window", "plain and simple")).value();
  EXPECT_EQ(bytes.size(), 2 + 16 + 16u);
  EXPECT_EQ(bytes[0], 2);
  EXPECT_EQ(static_cast<std::uint8_t>(bytes[1]), 200) << "the last key is current";
  EXPECT_EQ(bytes.find("plain"), std::string::npos);
}

TEST(Seal, TheFormatIsFixed) {
  // Cursors outlive the version that created them: these texts were created by earlier versions.
  const Sealer sealer({key(7, 'k')});
  const std::string_view first = "AQfzm64MHZIxsdbequGXo7dKJCCKTcOzboXzBURjhEYR-2ops86khgExyG7Z2j81_T6DFZ6AOzElZw";
  EXPECT_EQ(sealer.open("window", first).value(), "the first cursor");
  const std::string_view second = "AgcE76aHenlCKgFH1cViuIN_MSdAz0dOIQKcAENzfTqynQ";
  EXPECT_EQ(sealer.seal_same("window", "the first cursor"), second);
  EXPECT_EQ(sealer.open("window", second).value(), "the first cursor");
  EXPECT_EQ(to_hex(sealer.keyed_hash("fence", "the first hash")),
            "d9d204a6ad3c3b58af5464b183ff273bcd5cadaa686e06f9172bb30560e2615d");
}

TEST(Seal, SameIsDeterministicAndFreshIsNot) {
  const Sealer sealer({key(1, 'a')});
  const Sealer again({key(1, 'a')});
  EXPECT_EQ(sealer.seal_same("window", "text"), again.seal_same("window", "text"));
  std::set<std::string> seen;
  for (int i = 0; i < 200; ++i) EXPECT_TRUE(seen.insert(sealer.seal_fresh("window", "text")).second);
}

TEST(Seal, NoncesDifferWithTextPurposeAndKey) {
  const auto nonce = [](const Sealer& sealer, std::string_view purpose, std::string_view text) {
    return base64url::decode(sealer.seal_same(purpose, text)).value().substr(2, 16);
  };
  const Sealer one({key(1, 'a')}), other({key(1, 'b')});
  const std::set<std::string> nonces = {
      nonce(one, "window", "text"), nonce(one, "window", "texu"), nonce(one, "list", "text"),  nonce(other, "window", "text"),
      nonce(one, "windowt", "ext"), nonce(one, "windo", "wtext"), nonce(one, "", "windowtext")};
  EXPECT_EQ(nonces.size(), 7u);
}

TEST(Seal, AnotherPurposeOrKeyDoesNotOpen) {
  const Sealer sealer({key(1, 'a')});
  const std::string sealed = sealer.seal_same("window", "text");
  for (const std::string_view purpose : {"", "windo", "windows", "Window", "list"})
    expect_refused(sealer.open(purpose, sealed), purpose);
  expect_refused(Sealer({key(1, 'b')}).open("window", sealed), "same id, other secret");
}

TEST(Seal, RejectsEveryAlteredBit) {
  const Sealer sealer({key(1, 'a'), key(2, 'b'), key(3, 'c')});
  for (const std::string& sealed :
       {sealer.seal_same("window", plaintext_of(40)), sealer.seal_fresh("window", plaintext_of(41))}) {
    const std::string bytes = base64url::decode(sealed).value();
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      for (int bit = 0; bit < 8; ++bit) {
        std::string altered = bytes;
        altered[at] = static_cast<char>(altered[at] ^ 1 << bit);
        const auto opened = sealer.open("window", base64url::encode(altered));
        ASSERT_FALSE(opened.has_value()) << at << '.' << bit;
        const auto id = static_cast<unsigned char>(altered[1]);
        const Code expected = at == 1 && (id < 1 || id > 3) ? Code::kCursorExpired : Code::kInvalidCursor;
        ASSERT_EQ(opened.error().code, expected) << at << '.' << bit;
      }
    }
  }
}

TEST(Seal, RejectsEveryAlteredLetter) {
  const Sealer sealer({key(1, 'a')});
  for (const std::size_t size : {30, 31, 32}) {  // so that the last letter encodes 8, 4 and 2 bits
    const std::string sealed = sealer.seal_same("window", plaintext_of(size));
    for (std::size_t at = 0; at < sealed.size(); ++at) {
      for (int byte = 0; byte < 256; ++byte) {
        if (sealed[at] == static_cast<char>(byte)) continue;
        std::string altered = sealed;
        altered[at] = static_cast<char>(byte);
        ASSERT_FALSE(sealer.open("window", altered).has_value()) << at << ' ' << byte;
      }
    }
  }
}

TEST(Seal, RejectsEveryTruncationAndExtension) {
  const Sealer sealer({key(1, 'a')});
  const std::string sealed = sealer.seal_same("window", plaintext_of(50));
  for (std::size_t size = 0; size < sealed.size(); ++size)
    expect_refused(sealer.open("window", sealed.substr(0, size)), "truncated");
  for (const std::string_view more : {"A", "AA", "AAA", "AAAA", "=", "==", " ", "\n"}) {
    expect_refused(sealer.open("window", sealed + std::string(more)), more);
    expect_refused(sealer.open("window", std::string(more) + sealed), more);
  }
  expect_refused(sealer.open("window", sealed + sealed), "doubled");
}

TEST(Seal, RejectsGarbage) {
  const Sealer sealer({key(1, 'a')});
  for (const std::string_view text : {"", "x", "not a cursor", "....", "\xFF\xFE", "eyJ2IjoxfQ"})
    expect_refused(sealer.open("window", text), text);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = random_bytes(static_cast<std::size_t>(i) % 120);
    if (bytes.size() > 1) bytes.replace(0, 2, i % 3 == 0 ? "\x02\x01" : "\x01\x01");
    expect_refused(sealer.open("window", base64url::encode(bytes)), "random");
  }
}

TEST(Seal, TheLongestPlaintextOpensAndLongerInputDoesNot) {
  const Sealer sealer({key(1, 'a')});
  const std::string longest = sealer.seal_fresh("window", std::string(kMaxPlaintextBytes, 'x'));
  EXPECT_TRUE(sealer.open("window", sealer.seal_same("window", std::string(kMaxPlaintextBytes, 'x'))));
  EXPECT_EQ(longest.size(), limits::kMaxCursorBytes);
  EXPECT_EQ(sealer.open("window", longest).value(), std::string(kMaxPlaintextBytes, 'x'));
  EXPECT_THROW(sealer.seal_same("window", std::string(kMaxPlaintextBytes + 1, 'x')), std::length_error);
  EXPECT_THROW(sealer.seal_fresh("window", std::string(kMaxPlaintextBytes + 1, 'x')), std::length_error);
  expect_refused(sealer.open("window", longest + "AAAA"), "over-long");
  expect_refused(sealer.open("window", std::string(50 << 20, 'A')), "absurd");
}

TEST(Seal, OldKeysOpenAndRetiredKeysReportExpiry) {
  const std::string before = Sealer({key(1, 'a')}).seal_same("window", "text");
  const Sealer rotated({key(1, 'a'), key(2, 'b')});
  EXPECT_EQ(rotated.open("window", before).value(), "text");
  const std::string after = rotated.seal_same("window", "text");
  EXPECT_NE(after, before);
  const Sealer retired({key(2, 'b')});
  EXPECT_EQ(retired.open("window", after).value(), "text");
  const auto opened = retired.open("window", before);
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().code, Code::kCursorExpired);
  EXPECT_EQ(opened.error().param, "cursor");
}

TEST(Seal, ThrowsForInvalidKeys) {
  EXPECT_THROW(Sealer({}), std::invalid_argument);
  EXPECT_THROW(Sealer({{1, "short"}}), std::invalid_argument);
  EXPECT_THROW(Sealer({key(1, 'a'), {2, std::string(33, 'b')}}), std::invalid_argument);
}

TEST(KeyedHash, DependsOnKeyPurposeAndBytes) {
  const Sealer sealer({key(1, 'a')});
  EXPECT_EQ(sealer.keyed_hash("fence", "text"), Sealer({key(9, 'a')}).keyed_hash("fence", "text"))
      << "the hash does not depend on the id";
  const std::set<std::string> hashes = {
      sealer.keyed_hash("fence", "text"), sealer.keyed_hash("fence", "texts"), sealer.keyed_hash("fencet", "ext"),
      sealer.keyed_hash("", "fencetext"), sealer.keyed_hash("fence", ""),      Sealer({key(1, 'b')}).keyed_hash("fence", "text"),
  };
  EXPECT_EQ(hashes.size(), 6u);
  for (const std::string& hash : hashes) EXPECT_EQ(hash.size(), 32u);
  // It differs from the hash used for nonces.
  const std::string nonce = base64url::decode(sealer.seal_same("fence", "text")).value().substr(2, 24);
  EXPECT_NE(sealer.keyed_hash("fence", "text").substr(0, 24), nonce);
}

TEST(Seal, IsThreadSafe) {
  const Sealer sealer({key(1, 'a')});
  const std::string same = sealer.seal_same("window", "text");
  std::vector<int> wrong(4, 0);
  {
    std::vector<std::jthread> threads;
    for (int& faults : wrong) {
      threads.emplace_back([&] {
        for (int i = 0; i < 500; ++i) {
          faults += sealer.seal_same("window", "text") != same ? 1 : 0;
          faults += sealer.open("window", sealer.seal_fresh("window", "text")).value_or("") != "text" ? 1 : 0;
        }
      });
    }
  }
  EXPECT_EQ(wrong, std::vector<int>(4, 0));
}

}  // namespace
}  // namespace ladder::crypto
