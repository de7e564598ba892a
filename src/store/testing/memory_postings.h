// Segments and blocks in memory, for tests that do not depend on an engine.
#pragma once

#include "store/postings/posting_store.h"

#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <utility>

namespace ladder::store::testing {

class MemoryPostings final : public PostingStore {
 public:
  using Blocks = std::map<std::string, std::string, std::less<>>;

  Result<std::vector<PostingSegment>> segments() override {
    std::vector<PostingSegment> segments;
    for (const auto& [no, segment] : segments_) segments.push_back(segment);
    return segments;
  }
  Result<std::vector<BlockPtr>> blocks_at(std::span<const BlockPosition> places) override {
    std::vector<BlockPtr> found;
    looked_up_ += places.size();
    for (const auto& [segment, key] : places) {
      const Blocks& blocks = blocks_[segment];
      const auto after = blocks.upper_bound(key);
      found.push_back(after == blocks.begin() ? nullptr : block(*std::prev(after)));
      if (found.size() > 1 && found.back() && found[found.size() - 2] && *found.back() == *found[found.size() - 2] &&
          segment == places[found.size() - 2].segment) {
        found.back() = found[found.size() - 2];
      }
    }
    return found;
  }
  Result<std::vector<BlockPtr>> blocks_after(const BlockPosition& place, std::int64_t limit) override {
    std::vector<BlockPtr> found;
    const Blocks& blocks = blocks_[place.segment];
    for (auto at = blocks.upper_bound(place.key); at != blocks.end() && std::ssize(found) < limit; ++at) {
      found.push_back(block(*at));
    }
    return found;
  }

  Result<SegmentNo> take_segment_no() override { return ++last_; }
  Status put_segment(const PostingSegment& segment) override {
    segments_[segment.no] = segment;
    return {};
  }
  Status drop_segment(SegmentNo segment) override {
    if (!blocks_[segment].empty()) return fail(Code::kInternal, "a segment with blocks was dropped");
    segments_.erase(segment);
    return {};
  }
  Status add_block(SegmentNo segment, const PostingBlock& block) override {
    if (!blocks_[segment].emplace(block.key, block.bytes).second) return fail(Code::kInternal, "a key came twice");
    return {};
  }
  Status replace_block(SegmentNo segment, std::string_view key, const PostingBlock& block) override {
    LADDER_CHECK(drop_block(segment, key));
    return add_block(segment, block);
  }
  Status drop_block(SegmentNo segment, std::string_view key) override {
    if (blocks_[segment].erase(std::string(key)) != 1) return fail(Code::kInternal, "a block that is not there was dropped");
    return {};
  }

  const Blocks& blocks(SegmentNo segment) { return blocks_[segment]; }
  std::size_t looked_up() const { return looked_up_; }  // places that blocks_at() was asked for

 private:
  static BlockPtr block(const Blocks::value_type& stored) {
    return std::make_shared<const PostingBlock>(stored.first, stored.second);
  }

  std::map<SegmentNo, PostingSegment> segments_;
  std::map<SegmentNo, Blocks> blocks_;
  SegmentNo last_ = 0;
  std::size_t looked_up_ = 0;
};

}  // namespace ladder::store::testing
