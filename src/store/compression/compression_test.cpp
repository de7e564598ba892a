#include "store/compression/compression.h"

#include "base/limits.h"
#include "crypto/random.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <thread>
#include <vector>

namespace ladder::store {
namespace {

std::string prose(std::size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) text += "the " + std::to_string(i * 7919 % 1000) + " lanterns of the harbour, ";
  text.resize(bytes);
  return text;
}

std::optional<std::string> round_trip(std::string_view raw, std::size_t most) {
  const std::string small = compressed(raw);
  std::string buffer;
  const auto back = raw_bytes(stored(raw, small), most, buffer);
  return back ? std::optional(std::string(*back)) : std::nullopt;
}

TEST(Compression, RoundTrips) {
  for (const std::size_t size : {0UZ, 1UZ, 63UZ, 64UZ, 100UZ, 3'600UZ, limits::kChunkBytes, limits::kRecordRowBytes}) {
    EXPECT_EQ(round_trip(prose(size), limits::kRecordRowBytes), prose(size)) << size;
    const std::string noise = crypto::random_bytes(size);
    EXPECT_EQ(round_trip(noise, limits::kRecordRowBytes), noise) << size;
    EXPECT_EQ(round_trip(std::string(size, '\0'), limits::kRecordRowBytes), std::string(size, '\0')) << size;
  }
}

TEST(Compression, IsUsedOnlyWhereTheRowGetsSmaller) {
  EXPECT_LT(compressed(prose(3'600)).size(), 1'800U);
  EXPECT_EQ(compressed(crypto::random_bytes(3'600)), "");
  EXPECT_EQ(compressed("{\"id\":1}"), "");
  const std::string noise = crypto::random_bytes(3'600);
  EXPECT_EQ(stored(noise, compressed(noise)).raw_size, std::nullopt);
  EXPECT_EQ(stored(noise, compressed(noise)).bytes, noise);
}

// Rows of an older schema have no raw size. They are not decompressed, even when they look like a zstd frame.
TEST(Compression, DoesNotDecompressBytesWithoutARawSize) {
  const std::string frame = compressed(prose(3'600));
  std::string buffer;
  EXPECT_EQ(raw_bytes({frame, std::nullopt}, limits::kChunkBytes, buffer), frame);
  EXPECT_EQ(raw_bytes({"", std::nullopt}, limits::kChunkBytes, buffer), "");
  EXPECT_TRUE(buffer.empty()) << "nothing was copied";
}

TEST(Compression, DetectsAWrongRawSize) {
  const std::string text = prose(3'600), frame = compressed(text);
  std::string buffer;
  for (const std::int64_t claimed :
       std::vector<std::int64_t>{-1, 0, 1, 3'599, 3'601, 3'900, 3'901, 1LL << 40, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(raw_bytes({frame, claimed}, limits::kChunkBytes, buffer), std::nullopt) << claimed;
    EXPECT_LE(buffer.capacity(), 2 * limits::kChunkBytes) << "allocated the size that the row claimed: " << claimed;
  }
  EXPECT_EQ(raw_bytes({frame, 3'600}, 3'599, buffer), std::nullopt) << "over the bound of the caller";
  EXPECT_EQ(raw_bytes({frame, 3'600}, 3'600, buffer), text);
}

// A frame of a few bytes that would decompress to a gigabyte.
TEST(Compression, RejectsADecompressionBomb) {
  const std::string frame = compressed(std::string(1 << 26, 'a'));
  ASSERT_LT(frame.size(), 10'000U);
  std::string buffer;
  for (const std::int64_t claimed : {std::int64_t{3'900}, std::int64_t{1} << 26}) {
    EXPECT_EQ(raw_bytes({frame, claimed}, limits::kChunkBytes, buffer), std::nullopt);
  }
  EXPECT_LE(buffer.capacity(), 2 * limits::kChunkBytes);
}

TEST(Compression, DamagedBytesNeverDecompressToMoreThanTheRawSize) {
  const std::string text = prose(3'600), frame = compressed(text);
  std::mt19937 random(5);
  int refused = 0;
  std::string buffer;
  for (int round = 0; round < 2'000; ++round) {
    std::string damaged = frame;
    if (round % 3 == 0) damaged.resize(random() % frame.size());
    else damaged[random() % frame.size()] ^= static_cast<char>(1 + random() % 255);
    const auto bytes = raw_bytes({damaged, 3'600}, limits::kChunkBytes, buffer);
    if (!bytes) ++refused;
    else EXPECT_EQ(bytes->size(), 3'600U);
  }
  EXPECT_GT(refused, 600);
  EXPECT_EQ(raw_bytes({"", 3'600}, limits::kChunkBytes, buffer), std::nullopt);
  EXPECT_EQ(raw_bytes({"not a frame of zstd's", 20}, limits::kChunkBytes, buffer), std::nullopt);
  EXPECT_EQ(raw_bytes({frame, 3'600}, limits::kChunkBytes, buffer), text) << "an error leaves no state";
}

TEST(Compression, TheWordIndexContinuesPastDamage) {
  const std::string text = prose(3'600), frame = compressed(text);
  std::string buffer;
  EXPECT_EQ(raw_text({frame, 3'600}, limits::kChunkBytes, buffer), text);
  EXPECT_EQ(raw_text({frame.substr(0, 9), 3'600}, limits::kChunkBytes, buffer), std::string(3'600, ' '));
  EXPECT_EQ(raw_text({frame, INT64_MAX}, limits::kChunkBytes, buffer), std::string(limits::kChunkBytes, ' '));
  EXPECT_EQ(raw_text({frame, -5}, limits::kChunkBytes, buffer), " ");
}

TEST(Compression, CopiesRawBytes) {
  const std::string text = prose(900), frame = compressed(text);
  std::string body = "what was there";
  EXPECT_TRUE(read_raw({frame, 900}, limits::kRecordRowBytes, body));
  EXPECT_EQ(body, text);
  EXPECT_TRUE(read_raw({"{}", std::nullopt}, limits::kRecordRowBytes, body));
  EXPECT_EQ(body, "{}");
  EXPECT_FALSE(read_raw({frame, 901}, limits::kRecordRowBytes, body));
}

TEST(ChunkCompressor, SkipsChunksThatDoNotShrink) {
  const std::string text = prose(3'600), noise = crypto::random_bytes(3'600);
  ChunkCompressor compressor;
  const auto shrinks = [&](std::int64_t value, std::string_view raw) {
    const StoredBytes row = compressor.store(value, raw);
    std::string buffer;
    EXPECT_EQ(raw_bytes(row, limits::kChunkBytes, buffer), raw);
    return row.raw_size.has_value();
  };
  EXPECT_TRUE(shrinks(7, text));
  EXPECT_FALSE(shrinks(7, noise));
  EXPECT_FALSE(shrinks(7, text)) << "the next one is passed over";
  EXPECT_TRUE(shrinks(7, text)) << "and the next one is tried again";
  for (int i = 0; i < 1'000; ++i) EXPECT_FALSE(shrinks(7, noise));
  int tried = 0;
  while (tried < 200 && !shrinks(7, text)) ++tried;
  EXPECT_LT(tried, 64) << "compressible text after a photograph is detected soon";
  for (int i = 0; i < 1'000; ++i) EXPECT_FALSE(shrinks(7, noise));
  EXPECT_TRUE(shrinks(8, text)) << "another value starts over";
}

TEST(Compression, IsThreadSafe) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      for (int round = 0; round < 500; ++round) {
        const std::string text = prose(static_cast<std::size_t>(1'000 + 37 * i + round));
        EXPECT_EQ(round_trip(text, limits::kRecordRowBytes), text);
      }
    });
  }
}

}  // namespace
}  // namespace ladder::store
