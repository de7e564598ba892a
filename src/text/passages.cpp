#include "text/passages.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace ladder::text {
namespace {

static_assert(kPassageRepeats <= 255, "a bucket counts up to it");

// Faster than hashing all bytes; words that collide because of equal ends do no harm.
std::size_t bucket_of(std::string_view word, std::size_t buckets) {
  const std::size_t size = std::min(word.size(), sizeof(std::uint64_t));
  std::uint64_t first = 0, last = 0;
  std::memcpy(&first, word.data(), size);
  std::memcpy(&last, word.data() + word.size() - size, size);
  return ((first ^ std::rotr(last, 29) ^ word.size()) * 0x9E37'79B9'7F4A'7C15U >> 32) % buckets;
}

void append(std::string& words, const Word& word) {
  if (!words.empty()) words += ' ';
  if (word.pair) words += kPairMark;
  words += word.text;
}

}  // namespace

void RepeatCounter::clear() {
  buckets_.fill(0);
  exact_ = false;
  counts_.clear();
}

bool RepeatCounter::add(std::string_view word, bool pair, std::string_view before) {
  if (!exact_) {
    std::uint8_t& bucket = buckets_[bucket_of(word, buckets_.size())];
    if (++bucket < kPassageRepeats) return false;
    exact_ = true;
    while (!before.empty()) {
      const std::size_t end = before.find(' ');
      count(before.substr(0, end));
      before.remove_prefix(end == std::string_view::npos ? before.size() : end + 1);
    }
  }
  if (!pair) return count(word);
  std::string marked(1, kPairMark);
  return count(marked += word);
}

bool RepeatCounter::count(std::string_view as_in_row) { return ++counts_[std::string(as_in_row)] >= kPassageRepeats; }

Status PassageCutter::feed(std::string_view valid_utf8) {
  words_.feed(valid_utf8);
  return take_words();
}

Status PassageCutter::finish() {
  words_.finish();
  LADDER_CHECK(take_words());
  return emit_all();
}

Status PassageCutter::take_words() {
  for (Word word; words_.next(word);) LADDER_CHECK(take(word));
  return {};
}

Status PassageCutter::take(const Word& word) {
  if (!word.pair) {
    if (word.start - last_end_ > kMaxWordGapChars) LADDER_CHECK(emit_all());
    begin(word);
    last_end_ = word.end;
  }
  Open& newest = open_.back();  // begin() ensured that it owns the word
  if (repeats_.add(word.text, word.pair, newest.passage.words)) repeated_ = true;
  for (Open& open : open_) {
    append(open.passage.words, word);
    if (word.pair) continue;  // its second character comes next and is also in the passage
    open.passage.end = word.end;
    if (!open.owns) --open.overlap;
  }
  while (!open_.front().owns && open_.front().overlap == 0) LADDER_CHECK(emit_first());
  return {};
}

// Stops the last passage from owning words if necessary, and begins the next.
void PassageCutter::begin(const Word& word) {
  if (!open_.empty() && (repeated_ || word.start - open_.back().passage.start >= kPassageChars)) open_.back().owns = false;
  if (!open_.empty() && open_.back().owns) return;
  open_.emplace_back().passage.start = word.start;
  repeats_.clear();
  repeated_ = false;
}

Status PassageCutter::emit_first() {
  Passage passage = std::move(open_.front().passage);
  open_.pop_front();
  return use_(std::move(passage));
}

Status PassageCutter::emit_all() {
  while (!open_.empty()) LADDER_CHECK(emit_first());
  return {};
}

Result<std::vector<Passage>> cut_passages(std::string_view valid_utf8) {
  std::vector<Passage> passages;
  PassageCutter cutter([&](Passage&& passage) -> Status {
    passages.push_back(std::move(passage));
    return {};
  });
  LADDER_CHECK(cutter.feed(valid_utf8));
  LADDER_CHECK(cutter.finish());
  return passages;
}

}  // namespace ladder::text
