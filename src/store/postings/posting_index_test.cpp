// Adds, replaces, removes and merges random rows; after every step each list must have exactly the rows of a reference
// map.
#include "base/text/format.h"
#include "store/postings/posting_batch.h"
#include "store/postings/posting_list.h"
#include "store/postings/posting_merge.h"
#include "store/testing/memory_postings.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace ladder::store {
namespace {

using Positions = std::vector<std::pair<int, std::int32_t>>;
using Model = std::map<WordRowId, RowWords>;

std::string word(std::mt19937& random) {
  const auto rank = static_cast<unsigned>(1.0 / (1e-3 + static_cast<double>(random() % 1'000'000) / 1e6));
  return format("w{}", rank);
}

RowWords random_words(std::mt19937& random) {
  RowWords words;
  for (int column = 0; column < 3; ++column) {
    if (random() % 3 == 0) continue;
    std::string text = word(random);
    for (std::size_t more = random() % 40; more > 0; --more) text += " " + word(random);
    words.push_back({column, text});
  }
  return words;
}

std::map<std::string, std::map<WordRowId, Positions>> lists_of(const Model& model) {
  std::map<std::string, std::map<WordRowId, Positions>> lists;
  for (const auto& [row, words] : model) {
    for (const auto& [column, text] : words) {
      std::int32_t position = 0;
      for (std::size_t from = 0; from <= text.size();) {
        const std::size_t end = std::min(text.find(' ', from), text.size());
        lists[text.substr(from, end - from)][row].emplace_back(column, position++);
        from = end + 1;
      }
    }
  }
  return lists;
}

std::map<WordRowId, Positions> read(PostingList list) {
  std::map<WordRowId, Positions> rows;
  for (; !list.ended(); list.next_from(list.row() + 1)) {
    list.each_position([&](int column, std::int32_t position) {
      rows[list.row()].emplace_back(column, position);
      return true;
    });
  }
  return rows;
}

void expect_same(testing::MemoryPostings& store, const Model& model) {
  const auto lists = lists_of(model);
  std::vector<std::string> words;
  for (int rank = 0; rank < 1'001; ++rank) words.push_back(format("w{}", rank));
  std::ranges::sort(words);
  PostingIndex index(store);
  ASSERT_TRUE(index.load());
  ASSERT_TRUE(index.look_up(words));
  for (const std::string& one : words) {
    const auto expected = lists.find(one);
    ASSERT_EQ(read(PostingList(index, one, false)),
              expected == lists.end() ? (std::map<WordRowId, Positions>{}) : expected->second)
        << one;
  }
  std::map<WordRowId, Positions> prefixed;
  for (const auto& [one, rows] : lists) {
    if (!one.starts_with("w2")) continue;
    for (const auto& [row, positions] : rows) prefixed[row].insert(prefixed[row].end(), positions.begin(), positions.end());
  }
  for (auto& [row, positions] : prefixed) std::ranges::sort(positions);
  ASSERT_EQ(read(PostingList(index, "w2", true)), prefixed);
  ASSERT_TRUE(index.status());
}

TEST(PostingIndex, MatchesAReferenceModelUnderMerges) {
  for (unsigned seed = 1; seed <= 3; ++seed) {
    std::mt19937 random(seed);
    testing::MemoryPostings store;
    Model model;
    for (int step = 0; step < 120; ++step) {
      PostingBatch batch;
      Model before = model;
      std::set<WordRowId> touched;
      for (std::size_t changes = random() % 30; changes > 0; --changes) {
        const WordRowId row = first_row(static_cast<std::int64_t>(1 + random() % 400)) + (random() % 5 == 0 ? random() % 3 : 0);
        const bool is_there = model.contains(row);
        if (is_there) batch.remove(row, model[row]);
        RowWords words = random_words(random);
        if (is_there && random() % 3 == 0) words = model[row];  // the same words again
        model.erase(row);
        if (words.empty() || random() % 4 == 0) continue;
        batch.add(row, words);
        model[row] = words;
      }
      ASSERT_TRUE(batch.write(store));
      if (random() % 3 != 0) {
        ASSERT_TRUE(merge_after_write(store, 1 + static_cast<std::int64_t>(random() % 20)));
      }
      const auto segments = store.segments();
      if (const auto due = merge_due(*segments); due && random() % 2 == 0) {
        ASSERT_TRUE(merge_some(store, *due, 1 + static_cast<std::int64_t>(random() % 12)));
      }
      if (step % 10 == 9) {
        ASSERT_NO_FATAL_FAILURE(expect_same(store, model)) << "seed " << seed << ", step " << step;
      }
    }
    for (auto due = merge_due(*store.segments(), kTidyFrom); due; due = merge_due(*store.segments(), kTidyFrom)) {
      ASSERT_TRUE(merge_some(store, *due, 1 + static_cast<std::int64_t>(random() % 12)));
    }
    EXPECT_LE(store.segments()->size(), 3U) << "one of each size";
    ASSERT_NO_FATAL_FAILURE(expect_same(store, model)) << "seed " << seed << ", tidied";
    PostingBatch batch;
    for (const auto& [row, words] : model) batch.remove(row, words);
    ASSERT_TRUE(batch.write(store));
    const auto segments = store.segments();
    for (const PostingSegment& segment : *segments) EXPECT_TRUE(store.blocks(segment.no).empty());
  }
}

// One word of the row is looked up in every segment that may have the row, and the others where it was found.
TEST(PostingIndex, RemovingARowLooksUpItsWordsInItsSegmentAlone) {
  constexpr std::int64_t kSegments = 40, kFar = 1'000, kRow = 20;
  constexpr std::size_t kWords = 50;
  std::string text = "w0";
  for (std::size_t rank = 1; rank < kWords; ++rank) text += format(" w{}", rank);
  testing::MemoryPostings store;
  for (std::int64_t number = 1; number <= kSegments; ++number) {
    PostingBatch batch;
    batch.add(first_row(number), {{0, text}});
    batch.add(first_row(kFar + number), {{0, text}});
    ASSERT_TRUE(batch.write(store));
  }
  const std::size_t before = store.looked_up();
  PostingBatch batch;
  batch.remove(first_row(kRow), {{0, text}});
  ASSERT_TRUE(batch.write(store));
  EXPECT_LE(store.looked_up() - before, kWords + static_cast<std::size_t>(kRow));
  Model model;
  for (std::int64_t number = 1; number <= kSegments; ++number) {
    if (number != kRow) model[first_row(number)] = {{0, text}};
    model[first_row(kFar + number)] = {{0, text}};
  }
  expect_same(store, model);
}

TEST(PostingIndex, SkipsAheadInALongList) {
  testing::MemoryPostings store;
  PostingBatch batch;
  for (std::int64_t number = 1; number <= 20'000; ++number)
    batch.add(first_row(number), {{0, number % 7 == 0 ? "all seventh" : "all"}});
  ASSERT_TRUE(batch.write(store));
  PostingIndex index(store);
  ASSERT_TRUE(index.load());
  const std::vector<std::string> words = {"all", "seventh"};
  ASSERT_TRUE(index.look_up(words));
  for (const std::string& one : words) {
    const std::int64_t every = one == "all" ? 1 : 7;
    PostingList list(index, one, false);
    for (std::int64_t least = 1; least < 20'000; least += 1 + least / 3) {
      list.next_from(first_row(least));
      const std::int64_t next = (least + every - 1) / every * every;
      if (next > 20'000) break;
      ASSERT_FALSE(list.ended());
      EXPECT_EQ(number_of(list.row()), next);
    }
    list.next_from(first_row(20'001));
    EXPECT_TRUE(list.ended());
  }
  const std::vector<std::string> phrase = {"all", "seventh"};
  PhrasePostings both(index, phrase, false);
  std::int64_t rows = 0;
  for (; !both.ended(); both.next_from(both.row() + 1)) ++rows;
  EXPECT_EQ(rows, 20'000 / 7);
}

TEST(PostingIndex, StaysInFewSegmentsUnderManySmallWrites) {
  std::mt19937 random(9);
  testing::MemoryPostings store;
  std::size_t most = 0;
  for (std::int64_t number = 1; number <= 3'000; ++number) {
    PostingBatch batch;
    RowWords words = random_words(random);
    if (words.empty()) continue;
    batch.add(first_row(number), std::move(words));
    const auto blocks = batch.write(store);
    ASSERT_TRUE(blocks);
    ASSERT_TRUE(merge_after_write(store, *blocks));
    most = std::max(most, store.segments()->size());
  }
  EXPECT_LT(most, 64U);
}

}  // namespace
}  // namespace ladder::store
