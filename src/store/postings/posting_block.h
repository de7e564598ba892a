// Blocks of the word index: the bytes that both engines store, one row per block. A segment is a sorted run of (word, row)
// pairs, cut into blocks of about kBlockBytes; its blocks are found by key, with comparisons only.
//
//   key       word, a zero byte, and eight bytes of the row (big-endian) if the block begins in the middle of the word's list.
//             No key is greater than the first pair of its block, and every pair before that is in an earlier block.
//   block     one byte: kBlockVersion
//             lists, ascending by word
//   list      varint  bytes that the word shares with the word before it
//             varint  further bytes of the word, and these bytes
//             varint  size of the postings in bytes, times two, plus one if the list goes on in the next block
//             postings
//   posting   varint  (number minus the number before it) << 2 | (passage is not 0) << 1 | (several places)
//             varint  passage, if that bit is set; where the number is that of the posting before it, passage minus its passage
//             varint  size of the places in bytes, if there are several
//             places
//   places    varint  position << 5 | column
//             further ones: varint of (position minus the position before it) << 1, or where another column begins
//             varint of (column minus the column before it) << 1 | 1 and then varint of the position
//
// The first posting of a list in a block tells its number in full, so a block is read without its neighbors.
#pragma once

#include "base/error/error.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store {

// A row of the word index: the number of a record or of a text, and the passage.
using WordRowId = std::int64_t;
inline constexpr int kPassageBits = 20;
inline WordRowId first_row(std::int64_t number) { return number << kPassageBits; }
inline WordRowId last_row(std::int64_t number) { return first_row(number + 1) - 1; }
inline std::int64_t number_of(WordRowId row) { return row >> kPassageBits; }

struct RowRange {
  WordRowId first = 0;
  WordRowId last = 0;
};

inline constexpr std::size_t kBlockBytes = 1'900;  // two rows fit a page of SQLite, four a page of PostgreSQL, outside of TOAST
inline constexpr char kBlockVersion = 1;
inline constexpr int kColumnBits = 5;  // of a place; kMaxWordColumns fit

std::string block_key(std::string_view word);                 // where the list of a word begins
std::string block_key(std::string_view word, WordRowId row);  // where it goes on
std::string_view word_of_key(std::string_view key);

struct PostingBlock {
  std::string key;
  std::string bytes;

  friend bool operator==(const PostingBlock&, const PostingBlock&) = default;
};

// The places of a word in a row, packed. Add them ascending by column, then position.
class PlacesWriter {
 public:
  void clear() { bytes_.clear(); }
  void add(int column, std::int32_t position);
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
  int column_ = 0;
  std::int32_t position_ = 0;
};

// Reads a varint of at most 64 bits. False: there is none before `end`.
inline bool read_varint(const unsigned char*& at, const unsigned char* end, std::uint64_t& value) {
  if (at < end && *at < 0x80) {
    value = *at++;
    return true;
  }
  value = 0;
  for (int shift = 0; shift < 64 && at < end; shift += 7) {
    const unsigned char byte = *at++;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

// Calls `use` with column and position of each place until it returns false.
template <class Use>
void each_packed_place(std::string_view packed, Use use) {
  const auto* at = reinterpret_cast<const unsigned char*>(packed.data());
  const unsigned char* const end = at + packed.size();
  std::uint64_t value = 0;
  if (!read_varint(at, end, value)) return;
  std::uint64_t column = value & ((1U << kColumnBits) - 1), position = value >> kColumnBits;
  for (;;) {
    if (!use(static_cast<int>(column), static_cast<std::int32_t>(position)) || !read_varint(at, end, value)) return;
    if ((value & 1) == 0) {
      position += value >> 1;
      continue;
    }
    column += value >> 1;
    if (column >= (1U << kColumnBits) || !read_varint(at, end, position)) return;
  }
}

// Packs the postings of one list in one block, ascending by row.
class PostingsWriter {
 public:
  void clear() { bytes_.clear(); }
  void add(WordRowId row, std::string_view places);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  WordRowId row_ = 0;  // of the newest posting
};

// Packs lists into one block, ascending by word.
class ListsWriter {
 public:
  void add(std::string_view word, std::string_view postings, bool goes_on);
  const std::string& bytes() const { return bytes_; }
  std::string take();

 private:
  std::string bytes_;
  std::string word_;  // of the newest list
};

// Cuts postings into blocks. They come ascending by word, then row.
class BlockWriter {
 public:
  using Use = std::function<Status(PostingBlock&& block)>;
  explicit BlockWriter(Use use) : use_(std::move(use)) {}

  // Goes on after this block, the last one so far: it takes the block back, and gives it again with what is added.
  Status resume(const PostingBlock& block);
  Status add(std::string_view word, WordRowId row, std::string_view places);
  Status finish();

 private:
  void end_list(bool goes_on);
  Status give_block();

  Use use_;
  std::string key_;  // of the block
  ListsWriter lists_;
  std::string word_;  // of the open list
  PostingsWriter list_;
  bool continued_ = false;  // the open list began in an earlier block
};

// The postings of one list in one block, ascending by row.
class PostingReader {
 public:
  PostingReader() = default;
  explicit PostingReader(std::string_view postings)
      : at_(reinterpret_cast<const unsigned char*>(postings.data())), end_(at_ + postings.size()) {}

  bool next();  // false: the end, or damage
  WordRowId row() const { return row_; }
  std::string_view places() const { return places_; }
  bool damaged() const { return damaged_; }

 private:
  bool fail() {
    damaged_ = true;
    return false;
  }

  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  WordRowId row_ = -1;
  std::string_view places_;
  bool damaged_ = false;
};

// The lists of a block, ascending by word. The block lives longer than this.
class ListReader {
 public:
  explicit ListReader(std::string_view block);

  bool next();                       // false: the end, or damage
  bool seek(std::string_view word);  // to the first list that is not before the word; true: it is the word's
  std::string_view word() const { return word_; }
  std::string_view postings() const { return postings_; }
  bool goes_on() const { return goes_on_; }
  bool damaged() const { return damaged_; }

 private:
  bool fail() {
    damaged_ = true;
    return false;
  }

  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  std::string word_;
  std::string_view postings_;
  bool goes_on_ = false, damaged_ = false, ended_ = false;
};

bool continues_list(std::string_view key);  // the first list of the block began in an earlier block

// A word in a row.
struct WordInRow {
  std::string_view word;
  WordRowId row = 0;

  friend auto operator<=>(const WordInRow&, const WordInRow&) = default;
};

// A block without some of its postings.
struct BlockRemoval {
  std::optional<PostingBlock> left;  // empty: every posting was removed
  bool changed = false;
  std::size_t passed = 0;  // pairs up to the last posting of the block: the segment does not have them elsewhere
  // A list that went on in the next block and has no posting left here begins there from now on: that block needs a new key.
  std::optional<std::string> begins_next;
};
// `pairs` ascend; the first of them is not before the block. kDamagedData.
Result<BlockRemoval> remove_postings(const PostingBlock& block, const std::vector<WordInRow>& pairs, std::size_t first);
// The same for all rows of the ranges, which ascend and do not overlap. `passed` is not told.
Result<BlockRemoval> remove_rows(const PostingBlock& block, const std::vector<RowRange>& ranges);

Error damaged_block();

}  // namespace ladder::store
