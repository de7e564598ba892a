// Tests of range merging, and of disclosures computed from responses.
#include "server/ledger/disclosure.h"

#include <gtest/gtest.h>

#include <bitset>
#include <random>

namespace ladder::server {
namespace {

TEST(ShownRanges, MergeIfAdjacent) {
  ShownRanges ranges;
  add_range(ranges, {10, 20});
  add_range(ranges, {30, 40});
  add_range(ranges, {5, 5});
  EXPECT_EQ(ranges, (ShownRanges{{10, 20}, {30, 40}}));
  add_range(ranges, {20, 25});
  EXPECT_EQ(ranges, (ShownRanges{{10, 25}, {30, 40}}));
  add_range(ranges, {24, 31});
  EXPECT_EQ(ranges, (ShownRanges{{10, 40}}));
  add_range(ranges, {0, 100});
  EXPECT_EQ(ranges, (ShownRanges{{0, 100}}));
  EXPECT_EQ(length_of(ranges), 100);
}

TEST(ShownRanges, ContainExactlyTheAddedRanges) {
  std::mt19937 random(7);
  for (int round = 0; round < 200; ++round) {
    ShownRanges ranges;
    std::bitset<64> all;
    for (int i = 0; i < 12; ++i) {
      const auto start = static_cast<std::int64_t>(random() % 60);
      const auto end = start + static_cast<std::int64_t>(random() % 8);
      add_range(ranges, {start, std::min<std::int64_t>(64, end)});
      for (std::int64_t at = start; at < std::min<std::int64_t>(64, end); ++at) all.set(static_cast<std::size_t>(at));
    }
    std::bitset<64> held;
    std::int64_t last = -1;
    for (const ShownRange& range : ranges) {
      EXPECT_GT(range.start, last) << "ranges are not adjacent";
      EXPECT_LT(range.start, range.end);
      last = range.end;
      for (std::int64_t at = range.start; at < range.end; ++at) held.set(static_cast<std::size_t>(at));
    }
    EXPECT_EQ(held, all);
  }
}

TEST(Disclosure, OfARecordListsEveryShownMember) {
  api::Record record;
  record.ref = {"work", "notes", "n1"};
  record.data = R"({"title":"z\u00fcrich","count":12,"body":"abc","blocks":null})";
  record.cut.push_back({"body", "string", "", true, 900, 3, crypto::digest_text(crypto::sha256("all of it"))});
  record.cut.push_back({"blocks", "array", "application/json", true, 70, 0, crypto::digest_text(crypto::sha256("[1]"))});
  const Disclosure shown = disclose(record);
  ASSERT_EQ(shown.records.size(), 1U);
  const auto& fields = shown.records.front().fields;
  ASSERT_EQ(fields.size(), 4U);
  EXPECT_EQ(fields[0], (ShownField{"title", Unit::kChars, crypto::sha256("zürich"), 6, {{0, 6}}}));
  EXPECT_EQ(fields[1], (ShownField{"count", Unit::kChars, crypto::sha256("12"), 2, {{0, 2}}}));
  EXPECT_EQ(fields[2], (ShownField{"body", Unit::kChars, crypto::sha256("all of it"), 900, {{0, 3}}}));
  EXPECT_EQ(fields[3], (ShownField{"blocks", Unit::kChars, crypto::sha256("[1]"), 70, {}})) << "mentioned but not shown";
  EXPECT_EQ(shown.total(Unit::kChars), 11);
}

TEST(Disclosure, OfAPageIncludesRelatedRecords) {
  api::Record child;
  child.ref = {"work", "parts", "p1"};
  child.data = R"({"text":"ab"})";
  api::RecordsPage page;
  page.records.emplace_back().ref = {"work", "notes", "n1"};
  page.records.front().data = R"({"text":"abc"})";
  page.records.front().expanded.push_back({"parts", true, false, {child}});
  const Disclosure shown = disclose(page, "records");
  ASSERT_EQ(shown.records.size(), 2U);
  EXPECT_EQ(shown.records[1].record, child.ref);
  EXPECT_EQ(shown.total(Unit::kChars), 5);
}

TEST(Disclosure, OfASearchMergesTitleAndWindowOfOneField) {
  api::SearchPage page;
  api::SearchHit& hit = page.hits.emplace_back();
  hit.ref = {"work", "notes", "n1"};
  api::MatchWindow window;
  window.field_path = "title";
  window.start_chars = 2, window.end_chars = 9, window.size_chars = 12;
  window.digest = crypto::digest_text(crypto::sha256("x"));
  hit.windows.push_back(window);
  hit.lines.push_back({"title", 0, 5, 12, window.digest});
  const Disclosure shown = disclose(page, "words");
  EXPECT_EQ(shown.query, "words");
  ASSERT_EQ(shown.records.front().fields.size(), 1U);
  EXPECT_EQ(shown.records.front().fields.front().ranges, (ShownRanges{{0, 9}}));
}

}  // namespace
}  // namespace ladder::server
