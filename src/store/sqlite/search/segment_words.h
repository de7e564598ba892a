// The words of a part of the index, read straight from the leaf pages of FTS5's segments. FTS5 writes the pages; this only reads
// them, inside the reader's transaction. The layout is that of FTS5's file format (version 4):
//
//   leaf page      two bytes: where its first row id is that belongs to a word of an earlier page, or 0
//                  two bytes: where the footer begins
//                  words, each followed by its rows (posting_list.h); the first word whole, of others what differs from the one
//                  before
//                  footer: where each word begins, as distances
//
// A word may be in several segments of a part, and every segment has to be asked for it. A query has some hundred words with
// their forms, most of which no segment has. look_up_words() asks for all of them together: they ascend, so neighbours are found
// on one page, which is read once.
#pragma once

#include "store/sqlite/search/word_parts.h"
#include "store/sqlite/upkeep/word_merge.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ladder::store::sqlite {

inline constexpr std::size_t kLongestNumber = 9;  // bytes of one as SQLite writes it

// Takes a number of SQLite's form off the bytes at `at`, of which there are kLongestNumber.
inline std::uint64_t take_long_number(const unsigned char*& at) {
  std::uint64_t value = 0;
  for (std::size_t i = 1; i < kLongestNumber; ++i) {
    const unsigned char byte = *at++;
    value = value << 7 | (byte & 0x7FU);
    if (byte < 0x80) return value;
  }
  return value << 8 | *at++;
}
inline std::uint64_t take_number(const unsigned char*& at) { return *at < 0x80 ? *at++ : take_long_number(at); }

using AscendingWords = std::vector<std::string>;  // each once

// The page of a segment on which a word begins.
struct SegmentPlace {
  std::size_t word = 0;     // of the words that were looked up
  std::size_t segment = 0;  // of PartSegments::segments
  std::int64_t page = 0;
};

// The segments of a part, the newest first, for lists that live no longer than it. A list at which reading fails ends; the error
// stands here.
struct PartSegments {
  Connection* connection = nullptr;
  WordPart part;
  std::vector<WordSegment> segments;
  std::shared_ptr<const AscendingWords> words = {};  // that were looked up; null: none yet
  std::vector<SegmentPlace> places = {};             // of those that are there, by word, the newest segment first
  mutable std::optional<Error> fault = {};

  Status status() const { return fault ? Status(std::unexpected(*fault)) : Status(); }
  // The places of a word; nothing: it was not looked up.
  std::optional<std::span<const SegmentPlace>> places_of(std::string_view word) const;
};
Result<PartSegments> part_segments(Connection& connection, const WordPart& part);

// Finds all places of the words, which take the place of those that were looked up before.
Status look_up_words(PartSegments& part, std::shared_ptr<const AscendingWords> words);

// --- a segment ---

Error damaged_segment(const PartSegments& part, const WordSegment& segment);

// The bytes that stand for the word on a page.
std::string segment_key(std::string_view word);

// The only page of the segment where the key can begin.
Result<std::int64_t> page_of_key(const PartSegments& part, const WordSegment& segment, std::string_view key);

struct SegmentLeaf {
  static constexpr std::size_t kHeaderBytes = 4;
  static constexpr std::size_t kNowhere = std::numeric_limits<std::size_t>::max();

  std::int64_t page = 0;
  std::string bytes;  // and kLongestNumber further ones
  std::size_t size = 0, end = 0, first_row = 0, first_word = kNowhere;

  const unsigned char* data() const { return reinterpret_cast<const unsigned char*>(bytes.data()); }
};
Status read_leaf(const PartSegments& part, const WordSegment& segment, std::int64_t page, SegmentLeaf& leaf);

// The keys of a leaf, ascending.
class LeafKeys {
 public:
  explicit LeafKeys(const SegmentLeaf& leaf);

  // Goes on to the first key that is not before this one; true: it is this one. The keys that are asked for ascend.
  bool seek(std::string_view key);
  // Goes on to the next key and puts it in the place of the one before; false: there is none.
  bool next_key(std::string& key);
  bool ended() const { return ended_; }  // every key of the leaf is before the one that was asked for
  bool damaged() const { return damaged_; }

  // Of the key that was found, in the leaf.
  std::size_t rows_at() const { return added_at_ + added_; }
  std::size_t rows_end() const;  // kNowhere: they may go on behind the leaf

 private:
  bool next();
  bool stop_at(std::string_view key, bool found);
  std::string_view added() const { return std::string_view(leaf_->bytes).substr(added_at_, added_); }

  const SegmentLeaf* leaf_;
  const unsigned char *footer_, *footer_end_;
  std::size_t begin_ = 0;                            // of the present key
  std::size_t kept_ = 0, added_at_ = 0, added_ = 0;  // bytes of the key before it, and those that follow them
  std::size_t length_ = 0;
  std::string there_;  // the present key, where a search stopped
  bool stopped_ = false, ended_ = false, damaged_ = false;
};

}  // namespace ladder::store::sqlite
