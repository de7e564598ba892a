#include "store/postings/posting_batch.h"

#include "text/passages.h"

#include <boost/unordered/unordered_flat_map.hpp>

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <set>
#include <span>
#include <utility>

namespace ladder::store {
namespace {

struct Posting {
  std::string_view word;
  WordRowId row = 0;
  std::string_view positions;

  WordInRow pair() const { return {word, row}; }
};

// Sorts the words of rows. The words passed to it must outlive it.
class Inverter {
 public:
  // Rows must ascend.
  void add(WordRowId row, const RowWords& words);
  // Returns the postings ascending by word, then row. They point into this object.
  std::vector<Posting> take();

 private:
  struct Occurrence {
    std::uint32_t word = 0;
    std::uint32_t row = 0;  // of rows_
    std::int32_t position = 0;
    std::uint8_t column = 0;
  };

  std::vector<Occurrence> by_word();

  boost::unordered_flat_map<std::string_view, std::uint32_t> numbers_;
  std::vector<std::string_view> words_;  // by number
  std::vector<WordRowId> rows_;
  std::vector<Occurrence> occurrences_;
  std::string positions_;
};

void Inverter::add(WordRowId row, const RowWords& words) {
  rows_.push_back(row);
  const auto row_no = static_cast<std::uint32_t>(rows_.size() - 1);
  for (const ColumnWords& column : words) {
    std::int32_t position = -1;
    for (std::string_view rest = column.words; !rest.empty();) {
      const std::size_t end = rest.find(' ');
      const std::string_view word = rest.substr(0, end);
      rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
      if (word.empty()) continue;
      if (word.front() != text::kPairMark) ++position;
      const auto [at, added] = numbers_.try_emplace(word, static_cast<std::uint32_t>(words_.size()));
      if (added) words_.push_back(word);
      occurrences_.push_back({at->second, row_no, position, static_cast<std::uint8_t>(column.column)});
    }
  }
}

// Ascending by word. Occurrences of one word keep their order: by row, column and position.
std::vector<Inverter::Occurrence> Inverter::by_word() {
  std::vector<std::uint32_t> order(words_.size());
  std::iota(order.begin(), order.end(), 0U);
  std::ranges::sort(order, {}, [this](std::uint32_t word) { return words_[word]; });
  std::vector<std::size_t> next(words_.size() + 1);
  for (const Occurrence& one : occurrences_) ++next[one.word];
  std::size_t begin = 0;
  for (const std::uint32_t word : order) begin += std::exchange(next[word], begin);
  std::vector<Occurrence> sorted(occurrences_.size());
  for (const Occurrence& one : occurrences_) sorted[next[one.word]++] = one;
  return sorted;
}

std::vector<Posting> Inverter::take() {
  struct Span {
    std::uint32_t word = 0, row = 0;
    std::size_t begin = 0, size = 0;
  };
  const std::vector<Occurrence> sorted = by_word();
  std::vector<Span> spans;
  PositionsWriter positions;
  for (std::size_t at = 0; at < sorted.size();) {
    const Occurrence& first = sorted[at];
    positions.clear();
    for (; at < sorted.size() && sorted[at].word == first.word && sorted[at].row == first.row; ++at) {
      positions.add(sorted[at].column, sorted[at].position);
    }
    spans.push_back({first.word, first.row, positions_.size(), positions.bytes().size()});
    positions_ += positions.bytes();
  }
  std::vector<Posting> postings;
  postings.reserve(spans.size());
  for (const Span& span : spans) {
    postings.push_back({words_[span.word], rows_[span.row], std::string_view(positions_).substr(span.begin, span.size)});
  }
  return postings;
}

// Drops the postings present in both, so that a row that keeps most of its words touches few blocks.
void drop_unchanged(std::vector<Posting>& removed, std::vector<Posting>& added) {
  std::vector<Posting> only_removed, only_added;
  auto was = removed.begin();
  auto is = added.begin();
  while (was != removed.end() || is != added.end()) {
    const bool take_was = is == added.end() || (was != removed.end() && was->pair() < is->pair());
    const bool take_is = was == removed.end() || (is != added.end() && is->pair() < was->pair());
    if (!take_was && !take_is && was->positions == is->positions) {
      ++was;
      ++is;
      continue;
    }
    if (!take_is) only_removed.push_back(*was++);
    if (!take_was) only_added.push_back(*is++);
  }
  removed = std::move(only_removed);
  added = std::move(only_added);
}

Result<std::int64_t> add_segment(PostingStore& store, const std::vector<Posting>& postings) {
  if (postings.empty()) return 0;
  PostingSegment segment;
  LADDER_TRY(segment.no, store.take_segment_no());
  const auto [first, last] = std::ranges::minmax(postings, {}, &Posting::row);
  segment.first_row = first.row;
  segment.last_row = last.row;
  BlockWriter writer([&](PostingBlock&& block) {
    ++segment.blocks;
    return store.add_block(segment.no, block);
  });
  for (const Posting& posting : postings) LADDER_CHECK(writer.add(posting.word, posting.row, posting.positions));
  LADDER_CHECK(writer.finish());
  LADDER_CHECK(store.put_segment(segment));
  return segment.blocks;
}

// Removes some of the pairs from one segment. `blocks` has for each pair the block that would hold its posting.
class Remover {
 public:
  Remover(PostingStore& store, SegmentNo segment) : store_(store), segment_(segment) {}

  // Returns how many blocks were written.
  Result<std::int64_t> remove(const std::vector<WordInRow>& pairs, std::span<const BlockPtr> blocks) {
    std::int64_t written = 0;
    for (std::size_t at = 0; at < pairs.size();) {
      if (!blocks[at]) {
        ++at;
        continue;
      }
      const bool rekeyed = rekeyed_ && blocks[at]->key == old_key_;
      const PostingBlock& block = rekeyed ? *rekeyed_ : *blocks[at];
      LADDER_TRY(const BlockRemoval removal, remove_postings(block, pairs, at));
      at += std::max<std::size_t>(removal.passed, 1);
      if (!removal.changed) continue;
      ++written;
      LADDER_CHECK(put_back(block, removal));
    }
    return written;
  }

  // Writes the rest of a block.
  Status put_back(const PostingBlock& block, const BlockRemoval& removal) {
    if (!removal.changed) return {};
    if (removal.left) LADDER_CHECK(store_.replace_block(segment_, block.key, *removal.left));
    else LADDER_CHECK(store_.drop_block(segment_, block.key));
    return removal.begins_next ? rekey_next(block.key, *removal.begins_next) : Status();
  }

 private:
  // Makes the list of a word begin in the next block.
  Status rekey_next(const std::string& key, const std::string& word) {
    LADDER_TRY(const std::vector<BlockPtr> next, store_.blocks_after({segment_, key}, 1));
    if (next.empty() || word_of_key(next.front()->key) != word) return {};
    old_key_ = next.front()->key;
    rekeyed_ = PostingBlock{block_key(word), next.front()->bytes};
    return store_.replace_block(segment_, old_key_, *rekeyed_);
  }

  PostingStore& store_;
  const SegmentNo segment_;
  std::string old_key_;                  // of the block that was given a new key
  std::optional<PostingBlock> rekeyed_;  // its current version
};

constexpr std::size_t kRemovedAtOnce = 256;  // pairs whose blocks are read together
constexpr std::size_t kFewPlaces = 64;       // that are looked up at once, without looking for the segment of each row first
constexpr int kMostProbes = 3;

bool has_posting(const PostingBlock& block, const WordInRow& pair) {
  ListReader lists(block.bytes);
  if (!lists.seek(pair.word)) return false;
  PostingReader postings(lists.postings());
  while (postings.next() && postings.row() < pair.row) {
  }
  return !postings.damaged() && postings.row() == pair.row;
}

// Takes pairs out of the segments that have them. A pair is in one segment at most, and the words of a row are mostly in the same
// segment, since they were written together and are merged together. So one word of a row is looked up in every segment, and the
// others only in the segment where it was found. What is not there, because a later version of the record brought it or a merge
// has moved it, is looked for in the same way again.
class PairRemoval {
 public:
  using Pairs = std::vector<WordInRow>;  // ascending

  PairRemoval(PostingStore& store, std::vector<PostingSegment> segments) : store_(store), segments_(std::move(segments)) {}

  Status remove(Pairs pairs) {
    for (int probes = 0; probes < kMostProbes && pairs.size() * segments_.size() > kFewPlaces; ++probes) {
      LADDER_CHECK(find_segments(pairs));
      LADDER_CHECK(remove_where_found(pairs));
    }
    return remove_anywhere(pairs);
  }
  std::int64_t blocks_written() const { return written_; }

 private:
  // Pairs that are looked up in one segment.
  struct Group {
    SegmentNo segment = 0;
    Pairs pairs;
  };

  static bool may_have(const PostingSegment& segment, const WordInRow& pair) {
    return pair.row >= segment.first_row && pair.row <= segment.last_row;
  }

  // Calls `use` with each group and the block where each of its pairs would be.
  template <class Use>
  Status look_up(const std::vector<Group>& groups, Use use) {
    std::vector<BlockPosition> positions;
    for (const Group& group : groups) {
      for (const WordInRow& pair : group.pairs) positions.push_back({group.segment, block_key(pair.word, pair.row)});
    }
    if (positions.empty()) return {};
    LADDER_TRY(const std::vector<BlockPtr> blocks, store_.blocks_at(positions));
    std::span<const BlockPtr> rest = blocks;
    for (const Group& group : groups) {
      LADDER_CHECK(use(group, rest.first(group.pairs.size())));
      rest = rest.subspan(group.pairs.size());
    }
    return {};
  }

  std::vector<Group> in_every_segment(const Pairs& pairs) const {
    std::vector<Group> groups;
    for (const PostingSegment& segment : segments_) {
      Group group{segment.no, {}};
      std::ranges::copy_if(pairs, std::back_inserter(group.pairs),
                           [&](const WordInRow& pair) { return may_have(segment, pair); });
      if (!group.pairs.empty()) groups.push_back(std::move(group));
    }
    return groups;
  }

  // Finds the segment of rows of which it is not known.
  Status find_segments(const Pairs& pairs) {
    Pairs probes;
    std::set<WordRowId> probed;
    for (const WordInRow& pair : pairs) {
      if (!segment_of_.contains(pair.row) && probed.insert(pair.row).second) probes.push_back(pair);
    }
    return look_up(in_every_segment(probes), [&](const Group& group, std::span<const BlockPtr> blocks) -> Status {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i] && has_posting(*blocks[i], group.pairs[i])) segment_of_[group.pairs[i].row] = group.segment;
      }
      return {};
    });
  }

  // Leaves the pairs that were not in the segment of their row; that of their rows is unknown again.
  Status remove_where_found(Pairs& pairs) {
    std::map<SegmentNo, Pairs> by_segment;
    Pairs left;
    for (const WordInRow& pair : pairs) {
      const auto segment = segment_of_.find(pair.row);
      (segment == segment_of_.end() ? left : by_segment[segment->second]).push_back(pair);
    }
    std::vector<Group> groups;
    groups.reserve(by_segment.size());
    for (auto& [segment, its_pairs] : by_segment) groups.push_back({segment, std::move(its_pairs)});
    LADDER_CHECK(look_up(groups, [&](const Group& group, std::span<const BlockPtr> blocks) -> Status {
      for (std::size_t i = 0; i < blocks.size(); ++i) {
        if (blocks[i] && has_posting(*blocks[i], group.pairs[i])) continue;
        left.push_back(group.pairs[i]);
        segment_of_.erase(group.pairs[i].row);
      }
      return remove_from(group, blocks);
    }));
    std::ranges::sort(left);
    pairs = std::move(left);
    return {};
  }

  Status remove_anywhere(const Pairs& pairs) {
    return look_up(in_every_segment(pairs),
                   [&](const Group& group, std::span<const BlockPtr> blocks) { return remove_from(group, blocks); });
  }

  Status remove_from(const Group& group, std::span<const BlockPtr> blocks) {
    LADDER_TRY(const std::int64_t written, Remover(store_, group.segment).remove(group.pairs, blocks));
    written_ += written;
    return {};
  }

  PostingStore& store_;
  const std::vector<PostingSegment> segments_;
  std::map<WordRowId, SegmentNo> segment_of_;
  std::int64_t written_ = 0;
};

}  // namespace

Result<std::int64_t> remove_from_segments(PostingStore& store, const std::vector<WordInRow>& pairs) {
  if (pairs.empty()) return 0;
  LADDER_TRY(std::vector<PostingSegment> segments, store.segments());
  PairRemoval removal(store, std::move(segments));
  for (auto from = pairs.begin(); from != pairs.end();) {
    const auto end = from + std::min<std::ptrdiff_t>(pairs.end() - from, kRemovedAtOnce);
    LADDER_CHECK(removal.remove({from, end}));
    from = end;
  }
  return removal.blocks_written();
}

Result<bool> purge_some(PostingStore& store, PostingPurge& purge, std::int64_t blocks) {
  LADDER_TRY(const std::vector<PostingSegment> segments, store.segments());
  for (const PostingSegment& segment : segments) {
    if (segment.no < purge.reached.segment) continue;
    if (segment.no > purge.reached.segment) purge.reached = {segment.no, {}};
    for (;;) {
      LADDER_TRY(const std::vector<BlockPtr> next, store.blocks_after(purge.reached, 1));
      if (next.empty()) break;
      if (blocks-- == 0) return false;
      LADDER_TRY(const BlockRemoval removal, remove_rows(*next.front(), purge.ranges));
      LADDER_CHECK(Remover(store, segment.no).put_back(*next.front(), removal));
      // The next block may now begin with the word of this one under a key that is not greater, so read it again.
      if (!removal.changed || !removal.begins_next) purge.reached.key = next.front()->key;
    }
  }
  return true;
}

void PostingBatch::gather(Change change) {
  if (change.words.empty()) return;
  for (const ColumnWords& column : change.words) bytes_ += column.words.size();
  changes_.push_back(std::move(change));
}

bool PostingBatch::has_removals() const {
  return std::ranges::any_of(changes_, [](const Change& change) { return !change.adds; });
}

Result<std::int64_t> PostingBatch::write(PostingStore& store) {
  const std::vector<Change> changes = std::exchange(changes_, {});
  bytes_ = 0;
  std::vector<const Change*> order;
  order.reserve(changes.size());
  for (const Change& change : changes) order.push_back(&change);
  std::ranges::stable_sort(order, {}, &Change::row);
  Inverter was, is;
  for (auto first = order.begin(); first != order.end();) {
    const auto last = std::find_if(first, order.end(), [&](const Change* change) { return change->row != (*first)->row; });
    if (!(*first)->adds) was.add((*first)->row, (*first)->words);
    if ((*std::prev(last))->adds) is.add((*first)->row, (*std::prev(last))->words);
    first = last;
  }
  std::vector<Posting> removed = was.take(), added = is.take();
  if (!removed.empty()) drop_unchanged(removed, added);
  std::vector<WordInRow> pairs;
  pairs.reserve(removed.size());
  for (const Posting& posting : removed) pairs.push_back(posting.pair());
  LADDER_TRY(const std::int64_t replaced, remove_from_segments(store, pairs));
  LADDER_TRY(const std::int64_t blocks, add_segment(store, added));
  return replaced + blocks;
}

}  // namespace ladder::store
