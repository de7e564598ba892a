#include "store/sqlite/search/segment_words.h"

#include "base/text/format.h"

#include <algorithm>
#include <utility>

namespace ladder::store::sqlite {
namespace {

constexpr int kSegmentShift = 37;  // of a segment's number, in the number of its pages
constexpr char kMainIndex = '0';   // stands before every word; others are for prefixes, of which there are none

std::size_t two_bytes(const SegmentLeaf& leaf, std::size_t at) {
  return static_cast<std::size_t>(leaf.data()[at]) << 8 | leaf.data()[at + 1];
}

std::size_t common_bytes(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

// Within a level the last is the newest.
Result<PartSegments> part_segments(Connection& connection, const WordPart& part) {
  LADDER_TRY(const WordSegments read, read_segments(connection, part));
  PartSegments found{.connection = &connection, .part = part, .segments = {}};
  for (const WordSegments::Level& level : read.levels) {
    found.segments.insert(found.segments.end(), level.segments.rbegin(), level.segments.rend());
  }
  return found;
}

std::optional<std::span<const SegmentPlace>> PartSegments::places_of(std::string_view word) const {
  if (!words) return std::nullopt;
  const auto asked = std::ranges::lower_bound(*words, word);
  if (asked == words->end() || *asked != word) return std::nullopt;
  const auto number = static_cast<std::size_t>(asked - words->begin());
  return std::span<const SegmentPlace>(std::ranges::equal_range(places, number, {}, &SegmentPlace::word));
}

// --- a leaf ---

Error damaged_segment(const PartSegments& part, const WordSegment& segment) {
  return sqlite_error(nullptr, SQLITE_CORRUPT_VTAB, format("reading segment {} of {}", segment.id, part.part.table()));
}

std::string segment_key(std::string_view word) {
  std::string key(1, kMainIndex);
  return key.append(word);
}

Result<std::int64_t> page_of_key(const PartSegments& part, const WordSegment& segment, std::string_view key) {
  Statement row = use_part(*part.connection, PartSql::kLeafOfWord, part.part);
  LADDER_TRY(const bool found, row.integer(1, segment.id).blob(2, key).step());
  const std::int64_t page = found ? row.integer_at(0) >> 1 : 0;  // the lowest bit tells of an index of row ids
  return std::max(page, segment.first_page);
}

Status read_leaf(const PartSegments& part, const WordSegment& segment, std::int64_t page, SegmentLeaf& leaf) {
  Statement row = use_part(*part.connection, PartSql::kPage, part.part);
  LADDER_TRY(const bool found, row.integer(1, (segment.id << kSegmentShift) + page).step());
  const auto damaged = [&] { return std::unexpected(damaged_segment(part, segment)); };
  if (!found) return damaged();
  const std::string_view block = row.bytes_at(0);
  leaf.page = page;
  leaf.bytes.assign(block);
  leaf.bytes.append(kLongestNumber, '\0');
  leaf.size = block.size();
  if (leaf.size < SegmentLeaf::kHeaderBytes) return damaged();
  leaf.first_row = two_bytes(leaf, 0);
  leaf.end = two_bytes(leaf, 2);
  leaf.first_word = SegmentLeaf::kNowhere;
  const bool row_outside = leaf.first_row != 0 && (leaf.first_row < SegmentLeaf::kHeaderBytes || leaf.first_row >= leaf.end);
  if (leaf.end < SegmentLeaf::kHeaderBytes || leaf.end > leaf.size || row_outside) return damaged();
  if (leaf.end == leaf.size) return {};
  const unsigned char* footer = leaf.data() + leaf.end;
  leaf.first_word = take_number(footer);
  if (leaf.first_word < SegmentLeaf::kHeaderBytes || leaf.first_word >= leaf.end) return damaged();
  return {};
}

LeafKeys::LeafKeys(const SegmentLeaf& leaf)
    : leaf_(&leaf), footer_(leaf.data() + leaf.end), footer_end_(leaf.data() + leaf.size) {}

// Reads the lengths of the next key; its bytes stay where they are.
bool LeafKeys::next() {
  if (footer_ >= footer_end_) return false;
  const bool first = begin_ == 0;
  begin_ += take_number(footer_);
  const std::size_t end = leaf_->end;
  damaged_ = begin_ >= end;
  if (damaged_) return false;
  const unsigned char* at = leaf_->data() + begin_;
  kept_ = first ? 0 : take_number(at);
  added_ = take_number(at);
  added_at_ = static_cast<std::size_t>(at - leaf_->data());
  damaged_ = added_at_ > end || kept_ > length_ || added_ > end - added_at_;
  length_ = kept_ + added_;
  return !damaged_;
}

bool LeafKeys::next_key(std::string& key) {
  if (!next()) return false;
  key.resize(kept_);
  key.append(added());
  return true;
}

// The present key begins with the first bytes of `key`, as many as it has of the key before it.
bool LeafKeys::stop_at(std::string_view key, bool found) {
  there_.assign(key.substr(0, kept_)).append(added());
  stopped_ = true;
  return found;
}

// A key that has more bytes of the one before it than that one has of `key` is before `key`, too; one that has fewer is behind
// it.
bool LeafKeys::seek(std::string_view key) {
  if (ended_) return false;
  std::size_t common = 0;  // bytes that the key before the next one has of `key`
  if (stopped_) {
    if (there_ >= key) return there_ == key;
    common = common_bytes(there_, key);
  }
  while (next()) {
    if (kept_ > common) continue;
    if (kept_ < common) return stop_at(key, false);
    common += common_bytes(added(), key.substr(common));
    const int order = added().substr(common - kept_).compare(key.substr(common));
    if (order >= 0) return stop_at(key, order == 0);
  }
  ended_ = true;
  return false;
}

std::size_t LeafKeys::rows_end() const {
  if (footer_ >= footer_end_) return SegmentLeaf::kNowhere;
  const unsigned char* footer = footer_;
  return begin_ + take_number(footer);
}

// --- many words ---

namespace {

// Looks words up in one segment, ascending.
class SegmentLookup {
 public:
  SegmentLookup(const PartSegments& part, const WordSegment& segment) : part_(part), segment_(segment) {}

  // True: the key is there, on page(). Behind the last key of the segment, ended() is true.
  Result<bool> find(std::string_view key) {
    for (;;) {
      if (keys_ && !keys_->ended()) {
        const bool found = keys_->seek(key);
        if (keys_->damaged()) return std::unexpected(damaged_segment(part_, segment_));
        if (found || !keys_->ended()) return found;
      }
      if (ended()) return false;
      LADDER_TRY(const std::int64_t page, page_of_key(part_, segment_, key));
      if (keys_ && page == leaf_.page) return false;  // it would stand behind the last one there
      if (page > last_page()) return false;
      LADDER_CHECK(read_leaf(part_, segment_, page, leaf_));
      keys_.emplace(leaf_);
    }
  }
  std::int64_t page() const { return leaf_.page; }
  bool ended() const { return keys_ && keys_->ended() && leaf_.page == last_page(); }

 private:
  std::int64_t last_page() const { return segment_.first_page + segment_.pages - 1; }

  const PartSegments& part_;
  const WordSegment& segment_;
  SegmentLeaf leaf_;
  std::optional<LeafKeys> keys_;
};

}  // namespace

Status look_up_words(PartSegments& part, std::shared_ptr<const AscendingWords> words) {
  part.words = std::move(words);
  part.places.clear();
  std::vector<std::string> keys;
  keys.reserve(part.words->size());
  for (const std::string& word : *part.words) keys.push_back(segment_key(word));
  for (std::size_t segment = 0; segment < part.segments.size(); ++segment) {
    SegmentLookup lookup(part, part.segments[segment]);
    for (std::size_t word = 0; word < keys.size() && !lookup.ended(); ++word) {
      LADDER_TRY(const bool found, lookup.find(keys[word]));
      if (found) part.places.push_back({word, segment, lookup.page()});
    }
  }
  std::ranges::stable_sort(part.places, {}, &SegmentPlace::word);
  return {};
}

}  // namespace ladder::store::sqlite
