#include "store/postings/posting_block.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <set>

namespace ladder::store {
namespace {

struct Row {
  WordRowId row = 0;
  std::vector<std::pair<int, std::int32_t>> positions;

  friend auto operator<=>(const Row&, const Row&) = default;
};
using Lists = std::map<std::string, std::vector<Row>>;

std::vector<std::pair<int, std::int32_t>> unpacked(std::string_view packed) {
  std::vector<std::pair<int, std::int32_t>> positions;
  each_packed_position(packed, [&](int column, std::int32_t position) {
    positions.emplace_back(column, position);
    return true;
  });
  return positions;
}

std::string packed(const Row& row) {
  PositionsWriter writer;
  for (const auto& [column, position] : row.positions) writer.add(column, position);
  return std::string(writer.bytes());
}

std::vector<PostingBlock> written(const Lists& lists) {
  std::vector<PostingBlock> blocks;
  BlockWriter writer([&](PostingBlock&& block) -> Status {
    blocks.push_back(std::move(block));
    return {};
  });
  for (const auto& [word, rows] : lists) {
    for (const Row& row : rows) EXPECT_TRUE(writer.add(word, row.row, packed(row)));
  }
  EXPECT_TRUE(writer.finish());
  return blocks;
}

Lists read(const std::vector<PostingBlock>& blocks) {
  Lists lists;
  for (const PostingBlock& block : blocks) {
    ListReader reader(block.bytes);
    while (reader.next()) {
      PostingReader postings(reader.postings());
      while (postings.next()) lists[std::string(reader.word())].push_back({postings.row(), unpacked(postings.positions())});
      EXPECT_FALSE(postings.damaged());
    }
    EXPECT_FALSE(reader.damaged());
  }
  return lists;
}

Lists random_lists(std::mt19937& random, std::size_t words, std::size_t most_rows) {
  const auto below = [&](std::size_t bound) { return random() % bound; };
  Lists lists;
  for (std::size_t word = 0; word < words; ++word) {
    std::string text = below(20) == 0 ? std::string(200, 'x') : std::string("w");
    text += std::to_string(below(words * 3));
    std::set<WordRowId> rows;
    const std::size_t count = below(10) == 0 ? below(most_rows) + 1 : below(3) + 1;
    while (rows.size() < count)
      rows.insert(first_row(static_cast<std::int64_t>(below(100'000))) + (below(4) == 0 ? below(900) : 0));
    std::vector<Row>& list = lists[text];
    list.clear();
    for (const WordRowId row : rows) {
      std::set<std::pair<int, std::int32_t>> positions;
      const std::size_t many = below(5) == 0 ? below(60) + 1 : 1;
      while (positions.size() < many) positions.emplace(static_cast<int>(below(32)), static_cast<std::int32_t>(below(700)));
      list.push_back({row, {positions.begin(), positions.end()}});
    }
  }
  return lists;
}

TEST(PostingBlock, RoundTrips) {
  std::mt19937 random(1);
  for (int round = 0; round < 12; ++round) {
    const Lists lists = random_lists(random, 1 + random() % 300, 2'000);
    const std::vector<PostingBlock> blocks = written(lists);
    EXPECT_EQ(read(blocks), lists);
    for (std::size_t at = 0; at < blocks.size(); ++at) {
      if (at > 0) {
        EXPECT_LT(blocks[at - 1].key, blocks[at].key);
      }
      EXPECT_LT(blocks[at].bytes.size(), kPostingBlockBytes + 1'000);
    }
  }
}

TEST(PostingBlock, FindsTheBlockOfEveryPostingByItsKey) {
  std::mt19937 random(2);
  const Lists lists = random_lists(random, 400, 3'000);
  const std::vector<PostingBlock> blocks = written(lists);
  ASSERT_GT(blocks.size(), 20U);
  const auto block_at = [&](const std::string& key) {
    const auto after = std::ranges::upper_bound(blocks, key, {}, &PostingBlock::key);
    return after == blocks.begin() ? nullptr : &*std::prev(after);
  };
  for (const auto& [word, rows] : lists) {
    const PostingBlock* const beginning = block_at(block_key(word));
    ASSERT_TRUE(beginning);
    ListReader first(beginning->bytes);
    ASSERT_TRUE(first.seek(word)) << word;
    for (const Row& row : rows) {
      const PostingBlock* const block = block_at(block_key(word, row.row));
      ListReader list(block->bytes);
      ASSERT_TRUE(list.seek(word));
      PostingReader postings(list.postings());
      bool found = false;
      while (!found && postings.next()) found = postings.row() == row.row;
      EXPECT_TRUE(found);
    }
  }
}

TEST(PostingBlock, ResumesAfterTheLastBlock) {
  std::mt19937 random(3);
  for (int round = 0; round < 12; ++round) {
    const Lists lists = random_lists(random, 50, 3'000);
    std::vector<PostingBlock> blocks;
    const auto keep = [&](PostingBlock&& block) -> Status {
      blocks.push_back(std::move(block));
      return {};
    };
    BlockWriter writer(keep);
    for (const auto& [word, rows] : lists) {
      for (const Row& row : rows) {
        if (random() % 200 == 0) {
          ASSERT_TRUE(writer.finish());
          if (!blocks.empty()) {
            const PostingBlock last = std::move(blocks.back());
            blocks.pop_back();
            ASSERT_TRUE(writer.resume(last));
          }
        }
        ASSERT_TRUE(writer.add(word, row.row, packed(row)));
      }
    }
    ASSERT_TRUE(writer.finish());
    EXPECT_EQ(blocks, written(lists));
  }
}

TEST(PostingBlock, RemovesPostingsCompletely) {
  std::mt19937 random(4);
  Lists lists = random_lists(random, 60, 100);
  lists["secretword"] = {{first_row(7), {{0, 3}}}};
  for (const PostingBlock& block : written(lists)) {
    ListReader reader(block.bytes);
    if (!reader.seek("secretword")) continue;
    const auto removal = remove_postings(block, {{"secretword", first_row(7)}}, 0);
    ASSERT_TRUE(removal);
    EXPECT_TRUE(removal->changed);
    EXPECT_EQ(removal->left->bytes.find("secret"), std::string::npos);
    EXPECT_EQ(removal->left->key.find("secret"), std::string::npos);
    Lists rest = read({block}), expected = rest;
    expected.erase("secretword");
    EXPECT_EQ(read({*removal->left}), expected);
  }
}

TEST(PostingBlock, DetectsDamagedBytes) {
  std::mt19937 random(5);
  const std::vector<PostingBlock> blocks = written(random_lists(random, 80, 200));
  for (int round = 0; round < 5'000; ++round) {
    PostingBlock block = blocks[random() % blocks.size()];
    if (random() % 2 == 0) block.bytes[random() % block.bytes.size()] = static_cast<char>(random());
    else block.bytes.resize(random() % block.bytes.size());
    ListReader lists(block.bytes);
    while (lists.next()) {
      PostingReader postings(lists.postings());
      for (WordRowId before = -1; postings.next(); before = postings.row()) {
        ASSERT_GT(postings.row(), before);
        (void)unpacked(postings.positions());
      }
    }
    (void)remove_postings(block, {{"w1", first_row(5)}, {"w2", first_row(9)}}, 0);
  }
}

}  // namespace
}  // namespace ladder::store
