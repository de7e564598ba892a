#include "store/directory.h"

#include "base/bytes.h"
#include "base/limits.h"

#include <gtest/gtest.h>

#include <map>

namespace ladder::store {
namespace {

using Pages = std::map<std::int64_t, std::string>;

Pages packed(DirectoryBuilder& builder) {
  Pages pages;
  EXPECT_TRUE(builder.finish([&](std::int64_t first, std::string_view page) -> Status {
    EXPECT_TRUE(pages.emplace(first, page).second);
    return {};
  }));
  return pages;
}

// As a store finds it: the page with the largest first key that is not above.
std::vector<DirectoryEntry> look_up(const Pages& pages, std::int64_t key) {
  auto behind = pages.upper_bound(key);
  if (behind == pages.begin()) return {};
  return find_entries(std::prev(behind)->second, key);
}

TEST(NameKey, IsTheStartOfTheHash) {
  // SHA-256("abc") = ba7816bf 8f01cfea …
  EXPECT_EQ(static_cast<std::uint64_t>(name_key("abc")), 0xba7816bf8f01cfeaULL);
}

TEST(Directory, FindsEveryMemberOfALargeObject) {
  DirectoryBuilder builder;
  std::vector<std::string> names;
  for (int i = 0; i < 5'000; ++i) names.push_back("name " + std::to_string(i));
  for (int i = 0; i < 5'000; ++i) {
    builder.add({name_key(names[static_cast<std::size_t>(i)]), 1, i * 10, 9, i % 7 == 0 ? "@" + std::to_string(i) : ""},
                names[static_cast<std::size_t>(i)]);
  }
  const Pages pages = packed(builder);
  EXPECT_GT(pages.size(), 10u);
  for (const auto& [first, page] : pages) EXPECT_LE(page.size(), limits::kChunkBytes);
  for (int i = 0; i < 5'000; ++i) {
    const auto found = look_up(pages, name_key(names[static_cast<std::size_t>(i)]));
    ASSERT_EQ(found.size(), 1u);
    EXPECT_EQ(found[0].start_chars, i * 10);
    EXPECT_EQ(found[0].size_chars, 9);
    EXPECT_EQ(found[0].reference, i % 7 == 0 ? "@" + std::to_string(i) : "");
  }
  EXPECT_TRUE(look_up(pages, name_key("absent")).empty());
}

TEST(Directory, AnEntryOfAnArrayCoversItsRun) {
  DirectoryBuilder builder;
  std::int64_t index = 0;
  for (int run = 0; run < 3'000; ++run) {
    builder.add({index, 1 + run % 4, run * 100, 99, ""});
    index += 1 + run % 4;
  }
  const Pages pages = packed(builder);
  EXPECT_GT(pages.size(), 1u);
  std::int64_t at = 0;
  for (int run = 0; run < 3'000; ++run) {
    for (int i = 0; i < 1 + run % 4; ++i, ++at) {
      const auto found = look_up(pages, at);
      ASSERT_EQ(found.size(), 1u) << at;
      EXPECT_EQ(found[0].start_chars, run * 100);
      EXPECT_EQ(at - found[0].key, i);
    }
  }
  EXPECT_TRUE(look_up(pages, index).empty());
}

TEST(Directory, NamesOfOneHashShareAPage) {
  DirectoryBuilder builder;
  std::vector<std::string> names;
  for (int i = 0; i < 400; ++i) names.push_back(std::to_string(i) + std::string(20, 'x'));
  for (std::size_t i = 0; i < names.size(); ++i) {
    // Three hash values; the builder can't know that real ones never meet like this.
    builder.add({i < 150 ? -5 : i < 250 ? 5 : 6, 1, static_cast<std::int64_t>(i), 1, std::string(100, 'r')}, names[i]);
  }
  const Pages pages = packed(builder);
  EXPECT_EQ(look_up(pages, -5).size(), 150u);
  EXPECT_EQ(look_up(pages, 5).size(), 100u);
  EXPECT_EQ(look_up(pages, 6).size(), 150u);
  EXPECT_EQ(look_up(pages, 5)[1].start_chars, 151) << "in the order of the text";
}

TEST(Directory, OfARepeatedNameTheFirstCounts) {
  DirectoryBuilder builder;
  builder.add({1, 1, 10, 1, ""}, "a");
  builder.add({1, 1, 20, 1, ""}, "\\u0061");  // the same name, escaped
  builder.add({1, 1, 30, 1, ""}, "b");        // another one with the same hash
  builder.add({1, 1, 40, 1, ""}, "b");
  const std::string text;
  builder.add({2, 1, 50, 1, ""}, std::string_view(text));  // the empty name is a name
  builder.add({2, 1, 60, 1, ""}, std::string_view(text));
  const Pages pages = packed(builder);
  const auto found = look_up(pages, 1);
  ASSERT_EQ(found.size(), 2u);
  EXPECT_EQ(found[0].start_chars, 10);
  EXPECT_EQ(found[1].start_chars, 30);
  EXPECT_EQ(look_up(pages, 2).size(), 1u);
}

TEST(Directory, StopsWhenAPageCantBePut) {
  DirectoryBuilder builder;
  builder.add({1, 1, 0, 1, ""}, "a");
  const Status status =
      builder.finish([](std::int64_t, std::string_view) -> Status { return fail(Code::kStoreUnavailable, "full"); });
  ASSERT_FALSE(status);
  EXPECT_EQ(status.error().code, Code::kStoreUnavailable);
}

TEST(Directory, WhatIsNoPageHoldsNothing) {
  EXPECT_TRUE(find_entries("", 1).empty());
  EXPECT_TRUE(find_entries("short", 1).empty());
  std::string cut;
  put_u64_be(cut, 1);
  cut += std::string("\x00\x01\x05\x05\x7f", 5);  // says that 127 bytes follow
  EXPECT_TRUE(find_entries(cut, 1).empty());
}

}  // namespace
}  // namespace ladder::store
