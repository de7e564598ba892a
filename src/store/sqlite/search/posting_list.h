// Posting lists, read straight from the leaf pages of FTS5 (segment_words.h). Walking an expression through FTS5's own functions
// costs some 0.1 us a row and phrase, most of it in finding out which phrases a row has; a list is decoded in a tenth of that. On
// a leaf page a word is followed by its rows:
//
//   a row          row id: the first of a word or of a page whole, others as distance
//                  twice the bytes of its places, and one more where words were taken out
//                  places
//   places         distance from the place before and two; a 1 before the number of a column, where places begin again
//
// The lists of a word lie in several segments. Of a row that is in several of them the newest tells its places, or by having none
// that the word was taken out.
#pragma once

#include "store/sqlite/search/segment_words.h"
#include "store/word_search.h"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ladder::store::sqlite {

// Calls `use` with column and place of each, until it says no. Behind `packed` there are kLongestNumber further bytes.
template <class Use>
void each_packed_place(std::string_view packed, Use use) {
  const auto* at = reinterpret_cast<const unsigned char*>(packed.data());
  const unsigned char* const end = at + packed.size();
  std::uint64_t column = 0, place = 0;
  while (at < end) {
    std::uint64_t number = take_number(at);
    if (number == 1) {
      column = take_number(at);
      place = 0;
      if (at >= end || column >= std::uint64_t{kMaxWordColumns}) return;
      number = take_number(at);
    }
    if (number < 2) return;
    place += number - 2;
    if (!use(static_cast<int>(column), static_cast<int>(place))) return;
  }
}

// The rows of a word in one segment, ascending.
class SegmentPostings {
 public:
  SegmentPostings(const PartSegments& source, const WordSegment& segment) : source_(&source), segment_(segment) {}

  // To its first row; ended where the segment does not have it. `page`: where it begins, if that is known.
  void seek(std::string_view word, std::optional<std::int64_t> page = {});
  bool ended() const { return ended_; }
  WordRowId row() const { return row_; }
  bool empty() const { return places_size_ == 0; }  // the word was taken out of the row
  std::string_view places() const {                 // packed
    return turned_ ? std::string_view(spill_).substr(0, places_size_)
                   : std::string_view(leaf_.bytes).substr(places_at_, places_size_);
  }
  void next() {
    if (turned_ || at_ >= leaf_.end || at_ >= list_end_) return next_page();
    set_row(static_cast<std::uint64_t>(row_) + number());
  }
  void next_from(WordRowId least) {  // to the first row that is not before it
    if (ended_ || row_ >= least) return;
    next();
    if (!ended_ && row_ < least) skip_to(least);
  }

 private:
  static constexpr std::size_t kNowhere = SegmentLeaf::kNowhere;
  static constexpr std::uint64_t kNoRow = std::numeric_limits<WordRowId>::max();

  std::uint64_t number() {  // at at_, which is before the end
    const unsigned char* at = leaf_.data() + at_;
    const std::uint64_t value = take_number(at);
    at_ = static_cast<std::size_t>(at - leaf_.data());
    return value;
  }
  // Row ids are those of the word index: far from the end of the numbers, which the callers' sums rely on.
  void set_row(std::uint64_t row) {
    if (row >= kNoRow) return end_damaged();
    row_ = static_cast<WordRowId>(row);
    read_places();
  }
  void read_places() {
    if (at_ >= leaf_.end) return end_damaged();
    const std::uint64_t size = number() >> 1;
    turned_ = false;
    places_at_ = at_;
    places_size_ = size;
    at_ += size;
    if (at_ > leaf_.end) read_spilled();
  }

  Status read(std::int64_t page, SegmentLeaf& leaf) const { return read_leaf(*source_, segment_, page, leaf); }
  void end_with(Error fault);
  void end_damaged() { end_with(damaged_segment(*source_, segment_)); }
  bool find(std::string_view key);
  bool turn_page();  // false: there is none, or it could not be read
  void next_page();
  void first_of_page();
  void read_spilled();
  void skip_to(WordRowId least);

  const PartSegments* source_;
  WordSegment segment_;
  SegmentLeaf leaf_, ahead_;         // ahead_: the page behind it, once it was looked at
  std::size_t at_ = 0;               // in leaf_, behind the present row
  std::size_t list_end_ = kNowhere;  // of the word's rows in leaf_
  bool turned_ = false;              // the places of the present row end on leaf_, and began before it
  bool ended_ = false;
  WordRowId row_ = 0;
  std::size_t places_at_ = 0, places_size_ = 0;
  std::string spill_;  // places that go over several pages, and kLongestNumber further bytes
};

// Looks at every posting of a part. True: some word still has the mark that it was taken out of a row, so that what was erased
// is still stored.
Result<bool> has_removal_marks(Connection& connection, const WordPart& part);

// The rows of a word in a part.
class PostingList {
 public:
  PostingList(const PartSegments& segments, std::string_view word);
  bool ended() const { return current_ == kNone; }
  WordRowId row() const { return segments_[current_].row(); }
  std::string_view places() const { return segments_[current_].places(); }
  void next_from(WordRowId least) {
    if (ended() || row() >= least) return;
    SegmentPostings& current = segments_[current_];
    current.next_from(least);
    if (current.ended() || current.row() >= others_ || current.empty()) settle_from(least);
  }

 private:
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  void open(const PartSegments& segments, const WordSegment& segment, std::string_view word, std::optional<std::int64_t> page);
  void settle_from(WordRowId least);
  void settle();

  std::vector<SegmentPostings> segments_;  // the newest first
  std::size_t current_ = kNone;            // the one that tells the present row
  WordRowId others_ = 0;                   // the least row of the others
};

// The rows that have the words one behind the other.
class PhrasePostings {
 public:
  PhrasePostings(const PartSegments& segments, std::span<const std::string> words);
  bool ended() const { return words_.front().ended(); }
  WordRowId row() const { return words_.front().row(); }
  void next_from(WordRowId least) {
    words_.front().next_from(least);
    if (words_.size() > 1) settle();
  }

  // Columns and places of the first word.
  template <class Use>
  void each_place(Use use) const {
    if (words_.size() == 1) return each_packed_place(words_.front().places(), use);
    for (const std::int64_t place : places_) {
      if (!use(static_cast<int>(place >> kColumnShift), static_cast<int>(place & kPlaceMask))) return;
    }
  }

 private:
  static constexpr int kColumnShift = 32;
  static constexpr std::int64_t kPlaceMask = (std::int64_t{1} << kColumnShift) - 1;

  void settle();
  bool find_places();

  std::vector<PostingList> words_;
  WordRowId settled_ = -1;            // the row that places_ are of
  std::vector<std::int64_t> places_;  // of several words: column and place, ascending
};

}  // namespace ladder::store::sqlite
