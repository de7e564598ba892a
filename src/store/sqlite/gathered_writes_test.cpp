// What reaches the file, by a file that only remembers.
#include "store/sqlite/gathered_writes.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {
namespace {

struct Remembering {
  sqlite3_file base{};
  std::vector<std::pair<std::int64_t, std::string>> writes;
  int answer = SQLITE_OK;

  static int write(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
    auto* const self = reinterpret_cast<Remembering*>(file);
    self->writes.emplace_back(offset, std::string(static_cast<const char*>(bytes), static_cast<std::size_t>(size)));
    return self->answer;
  }
  Remembering() {
    static const sqlite3_io_methods methods = [] {
      sqlite3_io_methods made{};
      made.iVersion = 1;
      made.xWrite = write;
      return made;
    }();
    base.pMethods = &methods;
  }
};

int put(GatheredWrites& to, std::string_view bytes, std::int64_t offset) { return to.write(bytes.data(), bytes.size(), offset); }

using Writes = std::vector<std::pair<std::int64_t, std::string>>;

TEST(GatheredWrites, NeighboursBecomeOne) {
  Remembering file;
  GatheredWrites writes(&file.base);
  put(writes, "ab", 10);
  put(writes, "cd", 12);
  EXPECT_TRUE(file.writes.empty());
  EXPECT_TRUE(writes.overlaps(13, 1));
  EXPECT_FALSE(writes.overlaps(14, 1));
  EXPECT_FALSE(writes.overlaps(0, 10));
  put(writes, "x", 100);
  EXPECT_EQ(file.writes, (Writes{{10, "abcd"}})) << "what is elsewhere comes by itself";
  put(writes, "y", 100);
  EXPECT_EQ(writes.pass_on(), SQLITE_OK);
  EXPECT_EQ(file.writes, (Writes{{10, "abcd"}, {100, "x"}, {100, "y"}})) << "the same place again in the same order";
  EXPECT_EQ(writes.pass_on(), SQLITE_OK);
  EXPECT_EQ(file.writes.size(), 3U) << "nothing is passed on twice";
}

TEST(GatheredWrites, NoneIsLargerThanTheLayerBelowTakes) {
  Remembering file;
  GatheredWrites writes(&file.base);
  const std::string page(4096, 'p');
  for (int i = 0; i < 100; ++i) put(writes, page, i * 4096);
  writes.pass_on();
  std::size_t sum = 0;
  for (const auto& [offset, bytes] : file.writes) {
    EXPECT_EQ(static_cast<std::size_t>(offset), sum);
    EXPECT_LT(bytes.size(), 128U * 1024);
    sum += bytes.size();
  }
  EXPECT_EQ(sum, 409'600U);
  EXPECT_LT(file.writes.size(), 5U);
}

TEST(GatheredWrites, WhatFailsIsToldOnceAndForgotten) {
  Remembering file;
  GatheredWrites writes(&file.base);
  put(writes, "ab", 0);
  file.answer = SQLITE_FULL;
  EXPECT_EQ(put(writes, "x", 50), SQLITE_FULL);
  file.answer = SQLITE_OK;
  EXPECT_EQ(writes.pass_on(), SQLITE_OK);
  EXPECT_EQ(file.writes, (Writes{{0, "ab"}}));
}

}  // namespace
}  // namespace ladder::store::sqlite
