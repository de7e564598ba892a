#include "store/postings/posting_list.h"

#include "store/postings/heap.h"

#include <algorithm>

namespace ladder::store {
namespace {

constexpr std::int64_t kMaxReadAhead = 16;          // blocks of a list that are read together
constexpr WordRowId kFarRows = WordRowId{1} << 30;  // a thousand records: searching for the block is faster than reading on
constexpr std::int64_t kBlocksOfPrefix = 32;        // read together while listing the words with a prefix

}  // namespace

// --- the index of a search ---

Status PostingIndex::load() {
  LADDER_TRY(segments_, source_->segments());
  return {};
}

Status PostingIndex::look_up(std::span<const std::string> words) {
  beginnings_.clear();
  std::vector<BlockPosition> positions;
  positions.reserve(words.size() * segments_.size());
  for (const PostingSegment& segment : segments_) {
    for (const std::string& word : words) positions.push_back({segment.no, block_key(word)});
  }
  LADDER_TRY(const std::vector<BlockPtr> blocks, source_->blocks_at(positions));
  for (std::size_t at = 0; at < blocks.size();) {
    const BlockPtr& block = blocks[at];
    const std::size_t begin = at;
    while (at < blocks.size() && blocks[at] == block && positions[at].segment == positions[begin].segment) ++at;
    if (!block) continue;
    ListReader lists(block->bytes);  // the words that share a block ascend
    bool more = lists.next();
    for (std::size_t position = begin; position < at && more; ++position) {
      const std::string& word = words[position % words.size()];
      while (more && lists.word() < word) more = lists.next();
      if (more && lists.word() == word) beginnings_[word].push_back({positions[position].segment, block});
    }
    if (lists.damaged()) return std::unexpected(damaged_block());
  }
  return {};
}

// --- one segment ---

SegmentPostings::SegmentPostings(const PostingIndex& index, SegmentNo segment, std::string_view word, BlockPtr block)
    : index_(&index), segment_(segment), word_(word) {
  if (!open(std::move(block))) end();
  else next_from(0);
}

void SegmentPostings::end_with(Error fault) {
  end();
  index_->keep(std::move(fault));
}

bool SegmentPostings::open(BlockPtr block) {
  ListReader lists(block->bytes);
  if (!lists.seek(word_)) {
    if (lists.damaged()) index_->keep(damaged_block());
    return false;
  }
  block_ = std::move(block);
  reader_ = PostingReader(lists.postings());
  continues_ = lists.continues();
  return true;
}

bool SegmentPostings::next_block(WordRowId least) {
  if (!continues_) return false;
  if (least > row() + kFarRows) {
    const BlockPosition position{segment_, block_key(word_, least)};
    const auto found = index_->source_->blocks_at(std::span(&position, 1));
    if (!found) {
      end_with(found.error());
      return false;
    }
    if (const BlockPtr& block = found->front(); block && block->key > block_->key) {
      ahead_.clear();
      return open(block);
    }
  }
  if (ahead_.empty()) {
    auto blocks = index_->source_->blocks_after({segment_, block_->key}, read_ahead_);
    if (!blocks) {
      end_with(std::move(blocks).error());
      return false;
    }
    read_ahead_ = std::min(read_ahead_ * 2, kMaxReadAhead);
    ahead_.assign(blocks->rbegin(), blocks->rend());
    if (ahead_.empty()) return false;
  }
  BlockPtr block = std::move(ahead_.back());
  ahead_.pop_back();
  return word_of_key(block->key) == word_ && open(std::move(block));
}

void SegmentPostings::next_from(WordRowId least) {
  while (!ended_ && row() < least) {
    if (reader_.next()) continue;
    if (reader_.damaged()) return end_with(damaged_block());
    const WordRowId before = row();
    if (!next_block(least)) return end();
    if (!reader_.next() || row() <= before) return end_with(damaged_block());
  }
}

// --- a word, or words with a prefix ---

PostingList::PostingList(const PostingIndex& index, std::string_view word, bool prefix) : joins_(prefix) {
  if (prefix) {
    open_prefix(index, word);
  } else if (const auto found = index.beginnings_.find(word); found != index.beginnings_.end()) {
    for (const auto& [segment, block] : found->second) lists_.emplace_back(index, segment, word, block);
  }
  for (std::size_t list = 0; list < lists_.size(); ++list) {
    if (!lists_[list].ended()) heap_.push_back(list);
  }
  std::ranges::make_heap(heap_, [this](std::size_t a, std::size_t b) { return is_after(a, b); });
}

void PostingList::open_prefix(const PostingIndex& index, std::string_view prefix) {
  const auto open_lists = [&](SegmentNo segment, const BlockPtr& block) {
    ListReader lists(block->bytes);
    for (bool begins = !continues_list(block->key); lists.next(); begins = true) {
      if (begins && lists.word().starts_with(prefix)) lists_.emplace_back(index, segment, lists.word(), block);
    }
    if (lists.damaged()) index.keep(damaged_block());
  };
  for (const PostingSegment& segment : index.segments_) {
    BlockPosition position{segment.no, block_key(prefix)};
    auto first = index.source_->blocks_at(std::span(&position, 1));
    if (!first) return index.keep(std::move(first).error());
    if (first->front()) {
      open_lists(segment.no, first->front());
      position.key = first->front()->key;
    }
    for (bool more = true; more;) {
      auto blocks = index.source_->blocks_after(position, kBlocksOfPrefix);
      if (!blocks) return index.keep(std::move(blocks).error());
      more = !blocks->empty();
      for (const BlockPtr& block : *blocks) {
        more = word_of_key(block->key).starts_with(prefix);
        if (!more) break;
        open_lists(segment.no, block);
        position.key = block->key;
      }
    }
  }
}

void PostingList::next_from(WordRowId least) {
  const auto after = [this](std::size_t a, std::size_t b) { return is_after(a, b); };
  while (!ended() && row() < least) {
    SegmentPostings& list = lists_[heap_.front()];
    list.next_from(least);
    if (list.ended()) drop_front(heap_, after);
    else restore_front(heap_, after);
  }
}

std::vector<std::pair<int, std::int32_t>> PostingList::joined_positions() const {
  std::vector<std::pair<int, std::int32_t>> positions;
  const WordRowId here = row();
  for (const std::size_t list : heap_) {
    if (lists_[list].row() != here) continue;
    each_packed_position(lists_[list].positions(), [&](int column, std::int32_t position) {
      positions.emplace_back(column, position);
      return true;
    });
  }
  std::ranges::sort(positions);
  return positions;
}

// --- a phrase ---

PhrasePostings::PhrasePostings(const PostingIndex& index, std::span<const std::string> words, bool prefix) {
  for (std::size_t word = 0; word < words.size(); ++word) {
    words_.emplace_back(index, words[word], prefix && word + 1 == words.size());
    if (!words_.back().ended()) continue;
    std::swap(words_.front(), words_.back());  // no row has them all
    return;
  }
  if (words_.size() > 1) settle();
}

// Advances the words to a common row in which they are adjacent.
void PhrasePostings::settle() {
  PostingList& first = words_.front();
  while (!first.ended() && first.row() != settled_) {
    const WordRowId row = first.row();
    WordRowId least = row;
    for (PostingList& word : words_) {
      word.next_from(row);
      if (word.ended()) {
        if (&word != &first) std::swap(first, word);  // no further row has them all
        return;
      }
      least = std::max(least, word.row());
      if (least > row) break;
    }
    if (least == row) {
      settled_ = row;
      if (find_positions()) return;
      least = row + 1;
    }
    first.next_from(least);
  }
}

bool PhrasePostings::find_positions() {
  const auto all_of = [](const PostingList& word, std::int64_t before) {
    std::vector<std::int64_t> positions;
    word.each_position([&](int column, std::int32_t position) {
      if (position >= before) positions.push_back((std::int64_t{column} << kColumnShift) + position - before);
      return true;
    });
    return positions;
  };
  positions_ = all_of(words_.front(), 0);
  for (std::size_t i = 1; i < words_.size() && !positions_.empty(); ++i) {
    const std::vector<std::int64_t> next = all_of(words_[i], static_cast<std::int64_t>(i));
    std::erase_if(positions_, [&](std::int64_t position) { return !std::ranges::binary_search(next, position); });
  }
  return !positions_.empty();
}

}  // namespace ladder::store
