// Blocks of the word index: the bytes that both engines store, one row per block. A segment is a sorted run of (word,
// row) pairs, cut into blocks of about kPostingBlockBytes. Its blocks are found by comparing keys only.
//
//   key       word, a zero byte, and eight bytes of the row (big-endian) if the block begins in the middle of the word's list.
//             A key is at most the first pair of its block, and greater than every pair of the earlier blocks.
//   block     one byte: kBlockVersion
//             lists, ascending by word
//   list      varint  length of the prefix shared with the previous word
//             varint  length of the rest of the word, and the rest
//             varint  size of the postings in bytes, times two, plus one if the list continues in the next block
//             postings
//   posting   varint  (number minus the previous number) << 2 | (passage is not 0) << 1 | (several positions)
//             varint  passage, if that bit is set; if the number is the same as before, passage minus the previous passage
//             varint  size of the positions in bytes, if there are several
//             positions
//   positions varint  position << 5 | column
//             further ones: varint of (position minus the previous position) << 1, or if another column begins
//             varint of (column minus the previous column) << 1 | 1 and then varint of the position
//
// The first posting of a list in a block stores its full number, so a block can be read without its neighbors.
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

inline constexpr std::size_t kPostingBlockBytes =
    1'900;  // two rows fit a page of SQLite, four a page of PostgreSQL, outside of TOAST
inline constexpr char kBlockVersion = 1;
inline constexpr int kColumnBits = 5;  // of a position; kMaxWordColumns fit

std::string block_key(std::string_view word);                 // where the list of a word begins
std::string block_key(std::string_view word, WordRowId row);  // where it continues
std::string_view word_of_key(std::string_view key);

struct PostingBlock {
  std::string key;
  std::string bytes;

  friend bool operator==(const PostingBlock&, const PostingBlock&) = default;
};

// Packs the positions of a word in a row. Add them ascending by column, then position.
class PositionsWriter {
 public:
  void clear() { bytes_.clear(); }
  void add(int column, std::int32_t position);
  std::string_view bytes() const { return bytes_; }

 private:
  std::string bytes_;
  int column_ = 0;
  std::int32_t position_ = 0;
};

bool read_long_varint(const unsigned char*& at, const unsigned char* end, std::uint64_t& value);

// Reads a varint of at most 64 bits. Returns false if there is no complete one before `end`. Nearly all have one or two
// bytes, and a walk spends a good part of its time here.
[[gnu::always_inline]] inline bool read_varint(const unsigned char*& at, const unsigned char* end, std::uint64_t& value) {
  if (end - at >= 2) [[likely]] {
    if (at[0] < 0x80) {
      value = *at++;
      return true;
    }
    if (at[1] < 0x80) {
      value = (at[0] & 0x7FU) | static_cast<std::uint64_t>(at[1]) << 7;
      at += 2;
      return true;
    }
  }
  return read_long_varint(at, end, value);
}

// Calls `use` with column and position of each entry until it returns false.
template <class Use>
void each_packed_position(std::string_view packed, Use use) {
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
  void add(WordRowId row, std::string_view positions);
  const std::string& bytes() const { return bytes_; }

 private:
  std::string bytes_;
  WordRowId row_ = 0;  // of the last posting
};

// Packs lists into one block, ascending by word.
class ListsWriter {
 public:
  void add(std::string_view word, std::string_view postings, bool continues);
  const std::string& bytes() const { return bytes_; }
  std::string take();

 private:
  std::string bytes_;
  std::string word_;  // of the last list
};

// Cuts postings into blocks. Add them ascending by word, then row.
class BlockWriter {
 public:
  using Use = std::function<Status(PostingBlock&& block)>;
  explicit BlockWriter(Use use) : use_(std::move(use)) {}

  // Continues after this block, the current last one: passes it to `use` again with the added postings.
  Status resume(const PostingBlock& block);
  Status add(std::string_view word, WordRowId row, std::string_view positions);
  Status finish();

 private:
  void end_list(bool continues);
  Status emit_block();

  Use use_;
  std::string key_;  // of the current block
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

  bool next();  // false: end or damage
  WordRowId row() const { return row_; }
  std::string_view positions() const { return positions_; }
  bool damaged() const { return damaged_; }

 private:
  bool fail() {
    damaged_ = true;
    return false;
  }

  const unsigned char* at_ = nullptr;
  const unsigned char* end_ = nullptr;
  WordRowId row_ = -1;
  std::string_view positions_;
  bool damaged_ = false;
};

// The lists of a block, ascending by word. The block must outlive the reader.
class ListReader {
 public:
  explicit ListReader(std::string_view block);

  bool next();                       // false: end or damage
  bool seek(std::string_view word);  // to the first list that is not before the word; true: it has this word
  std::string_view word() const { return word_; }
  std::string_view postings() const { return postings_; }
  bool continues() const { return continues_; }
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
  bool continues_ = false, damaged_ = false, ended_ = false;
};

bool continues_list(std::string_view key);  // the first list of the block began in an earlier block

// A word in a row.
struct WordInRow {
  std::string_view word;
  WordRowId row = 0;

  friend auto operator<=>(const WordInRow&, const WordInRow&) = default;
};

// The result of removing postings from a block.
struct BlockRemoval {
  std::optional<PostingBlock> left;  // empty: every posting was removed
  bool changed = false;
  std::size_t passed = 0;  // pairs up to the last posting of the block: no later block of the segment has them
  // Set if a list continues in the next block but has no posting left in this one: the next block needs a new key.
  std::optional<std::string> begins_next;
};
// `pairs` must ascend; the first of them is not before the block. kDamagedData.
Result<BlockRemoval> remove_postings(const PostingBlock& block, const std::vector<WordInRow>& pairs, std::size_t first);
// The same for all rows of the ranges, which must ascend and not overlap. Does not set `passed`.
Result<BlockRemoval> remove_rows(const PostingBlock& block, const std::vector<RowRange>& ranges);

Error damaged_block();

}  // namespace ladder::store
