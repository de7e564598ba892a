#include "store/sqlite/search/posting_list.h"

#include <algorithm>

namespace ladder::store::sqlite {
namespace {

constexpr std::uint64_t kMaxPlaceBytes = 1 << 26;  // bytes of places in a row that are believed

}  // namespace

// --- one segment ---

void SegmentPostings::end_with(Error fault) {
  ended_ = true;
  if (!source_->fault) source_->fault = std::move(fault);
}

void SegmentPostings::seek(std::string_view word, std::optional<std::int64_t> page) {
  const std::string key = segment_key(word);
  if (!page) {
    const Result<std::int64_t> found = page_of_key(*source_, segment_, key);
    if (!found) return end_with(found.error());
    page = *found;
  }
  ended_ = *page >= segment_.first_page + segment_.pages;
  if (ended_) return;
  if (Status done = read(*page, leaf_); !done) return end_with(std::move(done).error());
  ended_ = !find(key);
  if (ended_) return;
  while (at_ >= leaf_.end) {  // its rows begin on the next page
    if (!turn_page()) return end_damaged();
    at_ = SegmentLeaf::kHeaderBytes;
  }
  set_row(number());
}

// Puts at_ behind the word.
bool SegmentPostings::find(std::string_view key) {
  LeafKeys keys(leaf_);
  const bool found = keys.seek(key);
  if (keys.damaged()) end_damaged();
  if (!found) return false;
  at_ = keys.rows_at();
  list_end_ = keys.rows_end();
  return true;
}

bool SegmentPostings::turn_page() {
  const std::int64_t next = leaf_.page + 1;
  if (next >= segment_.first_page + segment_.pages) return false;
  if (ahead_.page == next) {
    std::swap(leaf_, ahead_);
  } else if (Status done = read(next, leaf_); !done) {
    end_with(std::move(done).error());
    return false;
  }
  list_end_ = leaf_.first_word;
  return true;
}

// The present row's places do not end on its page: at_ is where they would.
void SegmentPostings::read_spilled() {
  at_ -= places_size_;
  if (at_ > leaf_.end || places_size_ > kMaxPlaceBytes) return end_damaged();
  turned_ = true;
  spill_.assign(leaf_.bytes, at_, leaf_.end - at_);
  while (spill_.size() < places_size_) {
    if (!turn_page()) return end_damaged();
    const std::size_t some = std::min(places_size_ - spill_.size(), leaf_.end - SegmentLeaf::kHeaderBytes);
    spill_.append(leaf_.bytes, SegmentLeaf::kHeaderBytes, some);
  }
  spill_.append(kLongestNumber, '\0');
}

// Of leaf_, which was turned to: a row of the word, or the end of its rows, or nothing but places of the row before.
void SegmentPostings::first_of_page() {
  for (;;) {
    if (leaf_.first_row != 0) {
      at_ = leaf_.first_row;
      return set_row(number());
    }
    ended_ = leaf_.first_word != kNowhere || !turn_page();
    if (ended_) return;
  }
}

void SegmentPostings::next_page() {
  if (turned_) return first_of_page();
  ended_ = at_ < leaf_.end || !turn_page();  // before the end of the page, the next word begins
  if (!ended_) first_of_page();
}

// Passes over pages as long as the next one begins with a row that is not behind `least`.
void SegmentPostings::skip_to(WordRowId least) {
  while (list_end_ == kNowhere && leaf_.page + 1 < segment_.first_page + segment_.pages) {
    if (ahead_.page != leaf_.page + 1) {
      if (Status done = read(leaf_.page + 1, ahead_); !done) return end_with(std::move(done).error());
    }
    if (ahead_.first_row == 0) break;
    const unsigned char* at = ahead_.data() + ahead_.first_row;
    if (static_cast<WordRowId>(take_number(at)) > least) break;
    if (!turn_page()) return;
    first_of_page();
    if (ended_) return;
  }
  while (!ended_ && row_ < least) next();
}

namespace {

Result<bool> has_removal_marks(const PartSegments& part, const WordSegment& segment) {
  SegmentLeaf leaf;
  for (std::int64_t page = segment.first_page; page < segment.first_page + segment.pages; ++page) {
    LADDER_CHECK(read_leaf(part, segment, page, leaf));
    LeafKeys keys(leaf);
    for (std::string key; keys.next_key(key);) {
      SegmentPostings postings(part, segment);
      for (postings.seek(std::string_view(key).substr(1), page); !postings.ended(); postings.next()) {
        if (postings.empty()) return true;
      }
    }
    if (keys.damaged()) return std::unexpected(damaged_segment(part, segment));
  }
  LADDER_CHECK(part.status());
  return false;
}

}  // namespace

Result<bool> has_removal_marks(Connection& connection, const WordPart& part) {
  LADDER_TRY(const PartSegments segments, part_segments(connection, part));
  for (const WordSegment& segment : segments.segments) {
    LADDER_TRY(const bool found, has_removal_marks(segments, segment));
    if (found) return true;
  }
  return false;
}

// --- a word ---

PostingList::PostingList(const PartSegments& segments, std::string_view word) {
  if (const auto places = segments.places_of(word)) {
    for (const SegmentPlace& place : *places) open(segments, segments.segments[place.segment], word, place.page);
  } else {
    for (const WordSegment& segment : segments.segments) open(segments, segment, word, std::nullopt);
  }
  settle();
}

void PostingList::open(const PartSegments& segments, const WordSegment& segment, std::string_view word,
                       std::optional<std::int64_t> page) {
  SegmentPostings postings(segments, segment);
  postings.seek(word, page);
  if (!postings.ended()) segments_.push_back(std::move(postings));
}

// Finds the segment that tells the least row, and passes over rows that the word was taken out of.
void PostingList::settle() {
  for (;;) {
    current_ = kNone;
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      if (!segments_[i].ended() && (current_ == kNone || segments_[i].row() < row())) current_ = i;
    }
    if (current_ == kNone) return;
    others_ = std::numeric_limits<WordRowId>::max();
    for (std::size_t i = 0; i < segments_.size(); ++i) {
      SegmentPostings& other = segments_[i];
      if (i == current_ || other.ended()) continue;
      if (other.row() == row()) other.next();  // older
      if (!other.ended()) others_ = std::min(others_, other.row());
    }
    if (!segments_[current_].empty()) return;
    segments_[current_].next();
  }
}

void PostingList::settle_from(WordRowId least) {
  for (SegmentPostings& segment : segments_) segment.next_from(least);
  settle();
}

// --- a phrase ---

PhrasePostings::PhrasePostings(const PartSegments& segments, std::span<const std::string> words) {
  for (const std::string& word : words) {
    words_.emplace_back(segments, word);
    if (!words_.back().ended()) continue;
    std::swap(words_.front(), words_.back());  // no row has them all
    return;
  }
  if (words_.size() > 1) settle();
}

// Brings the words to one row, and on until they are neighbours there.
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
      if (find_places()) return;
      least = row + 1;
    }
    first.next_from(least);
  }
}

bool PhrasePostings::find_places() {
  const auto all_of = [](const PostingList& word, std::int64_t before) {
    std::vector<std::int64_t> places;
    each_packed_place(word.places(), [&](int column, int place) {
      if (place >= before) places.push_back((std::int64_t{column} << kColumnShift) + place - before);
      return true;
    });
    return places;
  };
  places_ = all_of(words_.front(), 0);
  for (std::size_t i = 1; i < words_.size() && !places_.empty(); ++i) {
    const std::vector<std::int64_t> next = all_of(words_[i], static_cast<std::int64_t>(i));
    std::erase_if(places_, [&](std::int64_t place) { return !std::ranges::binary_search(next, place); });
  }
  return !places_.empty();
}

}  // namespace ladder::store::sqlite
