#include "store/sqlite/engine/recent_chunks.h"

#include <gtest/gtest.h>

#include <string>

namespace ladder::store::sqlite {
namespace {

constexpr std::int64_t row_of(std::int64_t value, std::int64_t chunk) { return value << 24 | chunk; }

TEST(RecentChunks, AreValidForOneStateOfTheStore) {
  RecentChunks recent;
  recent.keep(1, row_of(7, 0), "text");
  ASSERT_NE(recent.find(1, row_of(7, 0)), nullptr);
  EXPECT_EQ(*recent.find(1, row_of(7, 0)), "text");
  EXPECT_EQ(recent.find(1, row_of(7, 1)), nullptr);
  EXPECT_EQ(recent.find(2, row_of(7, 0)), nullptr) << "another connection has committed";
  recent.keep(2, row_of(8, 0), "other");
  EXPECT_EQ(recent.find(2, row_of(7, 0)), nullptr);
  EXPECT_EQ(recent.find(1, row_of(7, 0)), nullptr) << "the old state is not restored";
  recent.forget();
  EXPECT_EQ(recent.find(2, row_of(8, 0)), nullptr);
}

TEST(RecentChunks, KeepUsedChunksAndStayUnderOneMegabyte) {
  RecentChunks recent;
  const std::string text(3'900, 'x');
  for (std::int64_t i = 0; i < 3; ++i) recent.keep(1, row_of(7, i), text);
  for (std::int64_t i = 0; i < 10'000; ++i) {
    recent.keep(1, row_of(9, i), text);
    for (std::int64_t used = 0; used < 3; ++used) ASSERT_NE(recent.find(1, row_of(7, used)), nullptr) << i;
  }
  int kept = 0;
  for (std::int64_t i = 0; i < 10'000; ++i) kept += recent.find(1, row_of(9, i)) != nullptr ? 1 : 0;
  EXPECT_EQ(kept, 256 - 3);
}

TEST(RecentChunks, CacheAChunkOnce) {
  RecentChunks recent;
  for (int i = 0; i < 10; ++i) recent.keep(1, row_of(7, 5), std::to_string(i));
  EXPECT_EQ(*recent.find(1, row_of(7, 5)), "9");
  for (std::int64_t i = 1; i < 4; ++i) recent.keep(1, row_of(7, 5 + 64 * i), "another chunk of the set");
  EXPECT_NE(recent.find(1, row_of(7, 5)), nullptr) << "the chunk uses only one of four slots";
}

}  // namespace
}  // namespace ladder::store::sqlite
