#include "store/postings/posting_block.h"

#include "base/text/bytes.h"

#include <algorithm>
#include <limits>

namespace ladder::store {
namespace {

constexpr std::uint64_t kSeveral = 1, kHasPassage = 2;
constexpr int kHeadBits = 2;
constexpr std::int64_t kPassageMask = (std::int64_t{1} << kPassageBits) - 1;
constexpr std::int64_t kMaxNumber = std::numeric_limits<WordRowId>::max() >> kPassageBits;
constexpr std::size_t kMaxEntryHeaderBytes = 16;  // approximate bytes of the varints of one list and one posting

std::size_t shared_prefix(std::string_view a, std::string_view b) {
  return static_cast<std::size_t>(std::ranges::mismatch(a, b).in1 - a.begin());
}

}  // namespace

bool read_long_varint(const unsigned char*& at, const unsigned char* end, std::uint64_t& value) {
  value = 0;
  for (int shift = 0; shift < 64 && at < end; shift += 7) {
    const unsigned char byte = *at++;
    value |= static_cast<std::uint64_t>(byte & 0x7FU) << shift;
    if (byte < 0x80) return true;
  }
  return false;
}

std::string block_key(std::string_view word) {
  std::string key(word);
  key += '\0';
  return key;
}

std::string block_key(std::string_view word, WordRowId row) {
  std::string key = block_key(word);
  put_u64_be(key, static_cast<std::uint64_t>(row));
  return key;
}

bool continues_list(std::string_view key) { return key.find('\0') + 1 < key.size(); }

std::string_view word_of_key(std::string_view key) { return key.substr(0, key.find('\0')); }

Error damaged_block() {
  return {.code = Code::kDamagedData,
          .message = "the word index is damaged: run `ladder doctor --repair`, which rebuilds it from the records",
          .log_detail = "a block of the word index cannot be read"};
}

void PositionsWriter::add(int column, std::int32_t position) {
  const auto unsigned_position = static_cast<std::uint64_t>(position);
  if (bytes_.empty()) {
    put_varint(bytes_, unsigned_position << kColumnBits | static_cast<std::uint64_t>(column));
  } else if (column == column_) {
    put_varint(bytes_, (unsigned_position - static_cast<std::uint64_t>(position_)) << 1);
  } else {
    put_varint(bytes_, static_cast<std::uint64_t>(column - column_) << 1 | 1);
    put_varint(bytes_, unsigned_position);
  }
  column_ = column;
  position_ = position;
}

namespace {

bool is_one_position(std::string_view positions) {
  return std::ranges::none_of(positions.substr(0, positions.size() - 1), [](char byte) { return (byte & 0x80) == 0; });
}

}  // namespace

void PostingsWriter::add(WordRowId row, std::string_view positions) {
  const bool first = bytes_.empty();
  const std::int64_t number = number_of(row), passage = row & kPassageMask;
  const std::int64_t before = first ? 0 : number_of(row_);
  const std::int64_t packed_passage = !first && number == before ? passage - (row_ & kPassageMask) : passage;
  const bool several = !is_one_position(positions);
  put_varint(bytes_, static_cast<std::uint64_t>(number - before) << kHeadBits | (packed_passage != 0 ? kHasPassage : 0) |
                         (several ? kSeveral : 0));
  if (packed_passage != 0) put_varint(bytes_, static_cast<std::uint64_t>(packed_passage));
  if (several) put_varint(bytes_, positions.size());
  bytes_ += positions;
  row_ = row;
}

void ListsWriter::add(std::string_view word, std::string_view postings, bool continues) {
  if (bytes_.empty()) bytes_ = kBlockVersion;
  const std::size_t shared = shared_prefix(word_, word);
  put_varint(bytes_, shared);
  put_varint(bytes_, word.size() - shared);
  bytes_ += word.substr(shared);
  put_varint(bytes_, postings.size() << 1 | (continues ? 1 : 0));
  bytes_ += postings;
  word_ = word;
}

std::string ListsWriter::take() {
  word_.clear();
  return std::exchange(bytes_, {});
}

void BlockWriter::end_list(bool continues) {
  if (list_.bytes().empty()) return;
  lists_.add(word_, list_.bytes(), continues);
  list_.clear();
}

Status BlockWriter::emit_block() {
  if (lists_.bytes().empty()) return {};
  return use_({std::move(key_), lists_.take()});
}

Status BlockWriter::add(std::string_view word, WordRowId row, std::string_view positions) {
  if (word != word_) {
    end_list(false);
    word_ = word;
    continued_ = false;
  }
  const std::size_t filled = lists_.bytes().size() + list_.bytes().size();
  if (filled != 0 && filled + word.size() + positions.size() + kMaxEntryHeaderBytes > kPostingBlockBytes) {
    const bool continues = !list_.bytes().empty();
    end_list(continues);
    LADDER_CHECK(emit_block());
    continued_ = continued_ || continues;
  }
  if (lists_.bytes().empty() && list_.bytes().empty()) key_ = continued_ ? block_key(word, row) : block_key(word);
  list_.add(row, positions);
  return {};
}

Status BlockWriter::resume(const PostingBlock& block) {
  word_ = word_of_key(block.key);
  continued_ = continues_list(block.key);
  ListReader lists(block.bytes);
  while (lists.next()) {
    PostingReader postings(lists.postings());
    while (postings.next()) LADDER_CHECK(add(lists.word(), postings.row(), postings.positions()));
    if (postings.damaged()) return std::unexpected(damaged_block());
  }
  return lists.damaged() ? Status(std::unexpected(damaged_block())) : Status();
}

Status BlockWriter::finish() {
  end_list(false);
  word_.clear();
  return emit_block();
}

bool PostingReader::next() {
  if (at_ >= end_) return false;
  std::uint64_t head = 0, passage = 0;
  if (!read_varint(at_, end_, head)) return fail();
  const bool first = row_ < 0;
  const std::uint64_t step = head >> kHeadBits;
  const std::int64_t before = first ? 0 : number_of(row_);
  if (step > static_cast<std::uint64_t>(kMaxNumber - before)) return fail();
  if ((head & kHasPassage) != 0 && !read_varint(at_, end_, passage)) return fail();
  if (!first && step == 0) passage += static_cast<std::uint64_t>(row_ & kPassageMask);
  if (passage > static_cast<std::uint64_t>(kPassageMask)) return fail();
  const WordRowId row = first_row(before + static_cast<std::int64_t>(step)) + static_cast<std::int64_t>(passage);
  if (!first && row <= row_) return fail();
  const unsigned char* positions = at_;
  if ((head & kSeveral) != 0) {
    std::uint64_t size = 0;
    if (!read_varint(at_, end_, size) || size == 0 || size > static_cast<std::uint64_t>(end_ - at_)) return fail();
    positions = at_;
    at_ += size;
  } else {
    std::uint64_t position = 0;
    if (!read_varint(at_, end_, position)) return fail();
  }
  row_ = row;
  positions_ = {reinterpret_cast<const char*>(positions), static_cast<std::size_t>(at_ - positions)};
  return true;
}

ListReader::ListReader(std::string_view block) {
  if (block.empty() || block.front() != kBlockVersion) {
    damaged_ = ended_ = true;
    return;
  }
  at_ = reinterpret_cast<const unsigned char*>(block.data()) + 1;
  end_ = at_ + block.size() - 1;
}

bool ListReader::next() {
  if (ended_ || damaged_ || at_ >= end_) {
    ended_ = true;
    return false;
  }
  std::uint64_t shared = 0, added = 0, size = 0;
  if (!read_varint(at_, end_, shared) || !read_varint(at_, end_, added)) return fail();
  if (shared > word_.size() || added > static_cast<std::uint64_t>(end_ - at_)) return fail();
  word_.resize(shared);
  word_.append(reinterpret_cast<const char*>(at_), added);
  at_ += added;
  if (!read_varint(at_, end_, size) || (size >> 1) > static_cast<std::uint64_t>(end_ - at_)) return fail();
  continues_ = (size & 1) != 0;
  size >>= 1;
  postings_ = {reinterpret_cast<const char*>(at_), size};
  at_ += size;
  return true;
}

bool ListReader::seek(std::string_view word) {
  while (next()) {
    if (word_ >= word) return word_ == word;
  }
  return false;
}

namespace {

// Returns the list without the rows for which `is_removed` returns true.
template <class IsRemoved>
Result<std::string> without(std::string_view list, IsRemoved is_removed) {
  PostingsWriter left;
  PostingReader postings(list);
  while (postings.next()) {
    if (!is_removed(postings.row())) left.add(postings.row(), postings.positions());
  }
  if (postings.damaged()) return std::unexpected(damaged_block());
  return left.bytes();
}

// Rewrites a block list by list. `filter` returns the rest of a list.
template <class Filter>
Result<BlockRemoval> filtered(const PostingBlock& block, Filter filter) {
  BlockRemoval done;
  std::string key = block.key;
  ListsWriter left;
  ListReader lists(block.bytes);
  for (bool begins = !continues_list(block.key); lists.next(); begins = true) {  // the list begins in this block
    LADDER_TRY(const std::string postings, filter(lists));
    done.changed |= postings.size() != lists.postings().size();
    if (!postings.empty()) {
      if (left.bytes().empty() && lists.word() != word_of_key(key)) key = block_key(lists.word());
      left.add(lists.word(), postings, lists.continues());
    } else if (begins && lists.continues()) {
      done.begins_next = lists.word();
    }
  }
  if (lists.damaged()) return std::unexpected(damaged_block());
  if (!left.bytes().empty()) done.left = PostingBlock{std::move(key), left.take()};
  return done;
}

}  // namespace

Result<BlockRemoval> remove_postings(const PostingBlock& block, const std::vector<WordInRow>& pairs, std::size_t first) {
  std::size_t at = first;
  LADDER_TRY(BlockRemoval done, filtered(block, [&](const ListReader& list) -> Result<std::string> {
               while (at < pairs.size() && pairs[at].word < list.word()) ++at;
               if (at == pairs.size() || pairs[at].word != list.word()) return std::string(list.postings());
               return without(list.postings(), [&](WordRowId row) {
                 while (at < pairs.size() && pairs[at].word == list.word() && pairs[at].row < row) ++at;
                 if (at == pairs.size() || pairs[at] != WordInRow{list.word(), row}) return false;
                 ++at;
                 return true;
               });
             }));
  done.passed = at - first;
  return done;
}

Result<BlockRemoval> remove_rows(const PostingBlock& block, const std::vector<RowRange>& ranges) {
  return filtered(block, [&](const ListReader& list) {
    return without(list.postings(), [&](WordRowId row) {
      const auto after = std::ranges::upper_bound(ranges, row, {}, &RowRange::first);
      return after != ranges.begin() && row <= std::prev(after)->last;
    });
  });
}

}  // namespace ladder::store
