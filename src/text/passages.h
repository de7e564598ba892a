// Passages: the part of a text that is stored in one row of the word index (design D4). A passage owns the words that
// start in it and also contains the next kPhraseOverlap positions, so that no phrase is lost at a boundary. It begins
// with a word and owns those that start within kPassageChars of it. It ends earlier after the kPassageRepeats-th
// occurrence of a word, or after a gap of over kMaxWordGapChars characters without words; a gap also ends the overlap.
// Passages are the same on both engines. They depend on the text only, so they are computed again when a row is
// deleted, and tokenizing characters [start, end) of the text returns exactly the words of the passage. (So the pair
// that begins at its very last character is omitted. No phrase needs it, since a phrase ends with the single
// character.)
//
// The content of a row, per column, is its words separated by spaces. A pair follows the character it begins with,
// after kPairMark: "w1 w2 \x01w2w3 w3 …". Words contain neither spaces nor control characters.
#pragma once

#include "base/error/error.h"
#include "text/words.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ladder::text {

inline constexpr std::int64_t kPassageChars = 3600;
inline constexpr std::int64_t kPhraseOverlap = 16;                   // positions; the longest phrase has one more
inline constexpr std::int64_t kMaxPhraseWords = kPhraseOverlap + 1;  // words
inline constexpr std::int64_t kPassageRepeats =
    255 - kPhraseOverlap;  // PostgreSQL stores at most 255 positions of a word per row
inline constexpr char kPairMark = '\x01';

struct Passage {
  std::int64_t start = 0;  // characters [start, end) of the text: all its words, including the overlap
  std::int64_t end = 0;
  std::string words;  // the content of its row

  friend bool operator==(const Passage&, const Passage&) = default;
};

// Finds the kPassageRepeats-th occurrence of a word among those added since clear().
class RepeatCounter {
 public:
  void clear();
  // Returns true at that occurrence. `before` is the content of the row with all words since clear() except this one.
  bool add(std::string_view word, bool pair, std::string_view before);

 private:
  bool count(std::string_view as_in_row);

  // Number of words per bucket: while it is small, no single word can be repeated too often.
  std::array<std::uint8_t, 1024> buckets_{};
  bool exact_ = false;
  std::unordered_map<std::string, std::int64_t> counts_;  // of all words, once exact_
};

// Cuts a text that arrives in pieces and emits each passage as soon as its overlap is known. A text without words has
// none.
class PassageCutter {
 public:
  using Use = std::function<Status(Passage&& passage)>;
  explicit PassageCutter(Use use) : use_(std::move(use)) {}
  Status feed(std::string_view valid_utf8);
  Status finish();

 private:
  struct Open {
    Passage passage;
    bool owns = true;                       // more of its own words may follow
    std::int64_t overlap = kPhraseOverlap;  // positions still missing after them
  };

  Status take_words();
  Status take(const Word& word);
  void begin(const Word& word);
  Status emit_first();
  Status emit_all();

  Use use_;
  Words words_;
  std::deque<Open> open_;      // by start; only the last one may still own words
  RepeatCounter repeats_;      // of the last one
  bool repeated_ = false;      // one of its words occurred for the kPassageRepeats-th time
  std::int64_t last_end_ = 0;  // of the previous word
};

// All passages of a short text.
Result<std::vector<Passage>> cut_passages(std::string_view valid_utf8);

}  // namespace ladder::text
