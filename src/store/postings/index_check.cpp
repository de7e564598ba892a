#include "store/postings/index_check.h"

#include "base/text/format.h"
#include "text/passages.h"

#include <cstdlib>

namespace ladder::store {
namespace {

constexpr std::int64_t kBlocksAtOnce = 64;

std::uint64_t mark(std::string_view word, int column, std::int64_t position) {
  std::uint64_t hash = 14695981039346656037u;
  const auto mix = [&](std::uint64_t value) {
    hash = (hash ^ value) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 29;
  };
  for (const char c : word) mix(static_cast<unsigned char>(c));
  mix(static_cast<std::uint64_t>(column) + 1'000);
  mix(static_cast<std::uint64_t>(position));
  return hash;
}

// Describes how the words of a row differ from those of its text. The sums can differ even if the counts do not.
std::string difference_of(std::int64_t missing) {
  if (missing == 0) return "other words, or words at other positions";
  return format("{} words too {}", std::abs(missing), missing > 0 ? "few" : "many");
}

}  // namespace

void PostingCheck::expect(WordRowId row, int column, std::string_view words) {
  RowSum& sum = rows_[row];
  std::int64_t position = -1;
  while (!words.empty()) {
    const std::size_t end = words.find(' ');
    const std::string_view word = words.substr(0, end);
    if (word.front() != text::kPairMark) ++position;
    sum.words += mark(word, column, position);
    ++sum.count;
    words.remove_prefix(end == std::string_view::npos ? words.size() : end + 1);
  }
}

void PostingCheck::damaged(const PostingSegment& segment, std::string_view how) {
  fault_(format("segment {} of the word index {}", segment.no, how));
}

Status PostingCheck::read(PostingSource& source, const PostingSegment& segment) {
  last_word_.clear();
  last_row_ = -1;
  for (BlockPosition position{segment.no, {}};;) {
    const auto blocks = source.blocks_after(position, kBlocksAtOnce);
    if (!blocks && blocks.error().code == Code::kDamagedData) return damaged(segment, "has a damaged block"), Status{};
    if (!blocks) return std::unexpected(blocks.error());
    if (blocks->empty()) return {};
    for (const BlockPtr& block : *blocks) {
      read_block(*block, segment);
      position.key = block->key;
    }
  }
}

void PostingCheck::read_block(const PostingBlock& block, const PostingSegment& segment) {
  if (word_of_key(block.key) < last_word_) damaged(segment, "has a block whose key is not after the block before it");
  ListReader lists(block.bytes);
  while (lists.next()) {
    PostingReader postings(lists.postings());
    while (postings.next()) {
      if (WordInRow{lists.word(), postings.row()} <= WordInRow{last_word_, last_row_}) {
        damaged(segment, "has postings out of order");
      }
      if (postings.row() < segment.first_row || postings.row() > segment.last_row) {
        damaged(segment, "has a row outside of its range");
      }
      last_word_ = lists.word();
      last_row_ = postings.row();
      RowSum& sum = rows_[postings.row()];
      each_packed_position(postings.positions(), [&](int column, std::int32_t position) {
        sum.words -= mark(lists.word(), column, position);
        --sum.count;
        return true;
      });
    }
    if (postings.damaged()) damaged(segment, "has a damaged list");
  }
  if (lists.damaged()) damaged(segment, "has a damaged block");
}

Status PostingCheck::finish(const IsLeft& is_left) {
  for (const auto& [row, sum] : rows_) {
    if (sum == RowSum{}) continue;
    if (is_left) {
      LADDER_TRY(const bool left, is_left(row));
      if (left) continue;
    }
    fault_(format("row {} of the word index (number {}) does not match its text: {}", row, number_of(row),
                  difference_of(sum.count)));
  }
  return {};
}

}  // namespace ladder::store
