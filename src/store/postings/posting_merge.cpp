#include "store/postings/posting_merge.h"

#include "store/postings/heap.h"

#include <algorithm>
#include <map>
#include <utility>

namespace ladder::store {
namespace {

constexpr std::int64_t kSmallest = 4;          // blocks of a segment of size class 0
constexpr std::int64_t kSizeStep = 8;          // ratio between size classes
constexpr std::int64_t kReadTogether = 8;      // blocks read together from one input
constexpr std::int64_t kSmallMerge = 64;       // maximum blocks that a small write merges
constexpr std::size_t kManySegments = 48;      // from this number on all writers merge
constexpr std::int64_t kMergedPerWritten = 4;  // blocks merged per block written: enough for three levels of merging
constexpr std::int64_t kMaxPerWrite = 400;     // maximum blocks per write: some milliseconds

int size_class(std::int64_t blocks) {
  int size = 0;
  for (std::int64_t most = kSmallest; blocks > most; most *= kSizeStep) ++size;
  return size;
}

// Reads the postings of one segment in order, starting at its first block.
class SegmentReader {
 public:
  SegmentReader(PostingSource& source, const PostingSegment& segment) : source_(&source), segment_(segment.no) {}

  Status start() { return next(); }
  Status next();
  bool ended() const { return ended_; }
  WordInRow pair() const { return {lists_->word(), postings_.row()}; }
  std::string_view positions() const { return postings_.positions(); }

  // Removes from the store everything before the current posting.
  Status drop_read(PostingStore& store) const;

 private:
  Status open_next_block();

  PostingSource* source_;
  SegmentNo segment_;
  std::vector<BlockPtr> ahead_;    // the next one last
  std::vector<std::string> read_;  // keys of blocks that were read completely
  BlockPtr block_;
  std::optional<ListReader> lists_;
  PostingReader postings_;
  std::string last_key_;
  bool in_list_ = false, ended_ = false;
};

Status SegmentReader::open_next_block() {
  if (block_) read_.push_back(block_->key);
  block_.reset();
  if (ahead_.empty()) {
    LADDER_TRY(std::vector<BlockPtr> blocks, source_->blocks_after({segment_, last_key_}, kReadTogether));
    ahead_.assign(std::make_move_iterator(blocks.rbegin()), std::make_move_iterator(blocks.rend()));
  }
  ended_ = ahead_.empty();
  if (ended_) return {};
  block_ = std::move(ahead_.back());
  ahead_.pop_back();
  last_key_ = block_->key;
  lists_.emplace(block_->bytes);
  return {};
}

Status SegmentReader::next() {
  for (;;) {
    if (in_list_ && postings_.next()) return {};
    if (in_list_ && postings_.damaged()) return std::unexpected(damaged_block());
    in_list_ = false;
    if (block_ && lists_->next()) {
      postings_ = PostingReader(lists_->postings());
      in_list_ = true;
      continue;
    }
    if (block_ && lists_->damaged()) return std::unexpected(damaged_block());
    LADDER_CHECK(open_next_block());
    if (ended_) return {};
  }
}

Status SegmentReader::drop_read(PostingStore& store) const {
  for (const std::string& key : read_) LADDER_CHECK(store.drop_block(segment_, key));
  if (ended_) return {};
  // Keep the rest of the current block; its first list begins here.
  PostingsWriter postings;
  PostingReader rest = postings_;
  do {
    postings.add(rest.row(), rest.positions());
  } while (rest.next());
  ListReader further = *lists_;
  ListsWriter lists;
  lists.add(further.word(), postings.bytes(), further.continues());
  while (further.next()) lists.add(further.word(), further.postings(), further.continues());
  if (rest.damaged() || further.damaged()) return std::unexpected(damaged_block());
  PostingBlock block{block_key(lists_->word()), lists.take()};
  return block == *block_ ? Status{} : store.replace_block(segment_, block_->key, block);
}

// The last block of a segment; null if it has none.
Result<BlockPtr> last_block(PostingStore& store, SegmentNo segment) {
  const BlockPosition position{segment, std::string(1, '\xFF')};
  LADDER_TRY(std::vector<BlockPtr> found, store.blocks_at(std::span(&position, 1)));
  return std::move(found.front());
}

Result<SegmentNo> begin_merge(PostingStore& store, const PostingMerge& merge) {
  PostingSegment target;
  LADDER_TRY(target.no, store.take_segment_no());
  target.into = target.no;
  target.first_row = std::ranges::min(merge.inputs, {}, &PostingSegment::first_row).first_row;
  target.last_row = std::ranges::max(merge.inputs, {}, &PostingSegment::last_row).last_row;
  LADDER_CHECK(store.put_segment(target));
  for (PostingSegment input : merge.inputs) {
    input.into = target.no;
    LADDER_CHECK(store.put_segment(input));
  }
  return target.no;
}

// Writes the target segment and counts its blocks.
class Target {
 public:
  Target(PostingStore& store, PostingSegment segment)
      : store_(store), segment_(segment), writer_([this](PostingBlock&& block) {
          ++written_;
          return store_.add_block(segment_.no, block);
        }) {}

  Status resume() {
    LADDER_TRY(const BlockPtr last, last_block(store_, segment_.no));
    if (!last) return {};
    LADDER_CHECK(store_.drop_block(segment_.no, last->key));
    --written_;
    return writer_.resume(*last);
  }
  Status add(const WordInRow& pair, std::string_view positions) { return writer_.add(pair.word, pair.row, positions); }
  std::int64_t written() const { return written_; }
  Status finish(bool complete) {
    LADDER_CHECK(writer_.finish());
    segment_.blocks += written_;
    if (complete) segment_.into = 0;
    return store_.put_segment(segment_);
  }

 private:
  PostingStore& store_;
  PostingSegment segment_;
  std::int64_t written_ = 0;
  BlockWriter writer_;
};

Result<PostingSegment> segment_of(PostingStore& store, SegmentNo no) {
  LADDER_TRY(const std::vector<PostingSegment> segments, store.segments());
  const auto found = std::ranges::find(segments, no, &PostingSegment::no);
  if (found == segments.end())
    return fail(Code::kInternal, "a segment of the word index is missing while others are merged into it");
  return *found;
}

}  // namespace

std::int64_t PostingMerge::blocks() const {
  std::int64_t sum = 0;
  for (const PostingSegment& input : inputs) sum += input.blocks;
  return sum;
}

std::optional<PostingMerge> merge_due(std::span<const PostingSegment> segments, std::size_t from) {
  std::map<SegmentNo, PostingMerge> under_way;
  std::map<int, PostingMerge> by_size;
  for (const PostingSegment& segment : segments) {
    if (segment.into == segment.no) {
      under_way[segment.no].target = segment.no;  // even if no input is left
    } else if (segment.into != 0) {
      under_way[segment.into].target = segment.into;
      under_way[segment.into].inputs.push_back(segment);
    } else if (PostingMerge& alike = by_size[size_class(segment.blocks)]; alike.inputs.size() < kMaxMerged) {
      alike.inputs.push_back(segment);
    }
  }
  std::optional<PostingMerge> smallest;
  const auto offer = [&](PostingMerge& merge) {
    if (!smallest || merge.blocks() < smallest->blocks()) smallest = std::move(merge);
  };
  for (auto& [target, merge] : under_way) offer(merge);
  for (auto& [size, merge] : by_size) {
    if (merge.inputs.size() >= from) offer(merge);
  }
  return smallest;
}

Result<bool> merge_some(PostingStore& store, const PostingMerge& merge, std::int64_t blocks) {
  SegmentNo target_no = merge.target;
  if (target_no == 0) {
    LADDER_TRY(target_no, begin_merge(store, merge));
  }
  LADDER_TRY(const PostingSegment segment, segment_of(store, target_no));
  Target target(store, segment);
  LADDER_CHECK(target.resume());
  std::vector<SegmentReader> inputs;
  inputs.reserve(merge.inputs.size());
  for (const PostingSegment& input : merge.inputs) {
    inputs.emplace_back(store, input);
    LADDER_CHECK(inputs.back().start());
  }
  const auto after = [&](std::size_t a, std::size_t b) { return inputs[b].pair() < inputs[a].pair(); };
  std::vector<std::size_t> heap;
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    if (!inputs[input].ended()) heap.push_back(input);
  }
  std::ranges::make_heap(heap, after);
  while (!heap.empty() && target.written() < blocks) {
    SegmentReader& least = inputs[heap.front()];
    LADDER_CHECK(target.add(least.pair(), least.positions()));
    LADDER_CHECK(least.next());
    if (least.ended()) drop_front(heap, after);
    else restore_front(heap, after);
  }
  for (std::size_t input = 0; input < inputs.size(); ++input) {
    LADDER_CHECK(inputs[input].drop_read(store));
    if (inputs[input].ended()) LADDER_CHECK(store.drop_segment(merge.inputs[input].no));
  }
  const bool complete = heap.empty();
  LADDER_CHECK(target.finish(complete));
  return complete;
}

// A small write merges small segments immediately, so that many small writes never leave many segments. A bulk write
// leaves large merges to the background until there are many segments.
bool merges_after_write(std::span<const PostingSegment> segments) {
  const std::optional<PostingMerge> due = merge_due(segments);
  return due && (due->blocks() <= kSmallMerge || segments.size() >= kManySegments);
}

Status merge_after_write(PostingStore& store, std::int64_t blocks_written) {
  if (blocks_written == 0) return {};
  LADDER_TRY(const std::vector<PostingSegment> segments, store.segments());
  if (!merges_after_write(segments)) return {};
  const std::optional<PostingMerge> due = merge_due(segments);
  const bool is_small = due->blocks() <= kSmallMerge;
  const std::int64_t blocks = is_small ? kSmallMerge : std::clamp(blocks_written * kMergedPerWritten, kSmallest, kMaxPerWrite);
  LADDER_TRY(const bool complete, merge_some(store, *due, blocks));
  (void)complete;
  return {};
}

}  // namespace ladder::store
