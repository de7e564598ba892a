// Passages: what one row of the word index holds of a text (design D4). A passage owns the words that start in it and also holds
// the next kPhraseOverlap, so that no phrase is lost at a cut. It begins with a word and owns those that start within
// kPassageChars of it, but none after the kPassageRepeats-th occurrence of one and none after a gap of over kMaxWordGapChars
// chars without words; a gap ends the overlap as well. Alike on both engines, and worked out again from the text whenever a row
// has to go: a passage is a function of the text alone, and tokenising chars [start, end) of the text gives exactly its words.
// (So the pair of its very last character is left out. No phrase needs it: one ends with the character alone.)
//
// The content of a row, per column, is words with a space between them; a pair stands after the character it begins with, behind
// kPairMark: "w1 w2 \x01w2w3 w3 …". Words have neither spaces nor control characters.
#pragma once

#include "base/error/error.h"
#include "store/text/words.h"

#include <array>
#include <cstdint>
#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace ladder::store {

inline constexpr std::int64_t kPassageChars = 3600;
inline constexpr std::int64_t kPhraseOverlap = 16;                     // positions; the longest phrase has one more
inline constexpr std::int64_t kLongestPhrase = kPhraseOverlap + 1;     // words
inline constexpr std::int64_t kPassageRepeats = 255 - kPhraseOverlap;  // PostgreSQL keeps 255 positions of a word in a row
inline constexpr char kPairMark = '\x01';

struct Passage {
  std::int64_t start = 0;  // chars [start, end) of the text: all its words, those of the overlap too
  std::int64_t end = 0;
  std::string words;  // the content of its row

  friend bool operator==(const Passage&, const Passage&) = default;
};

// Finds the kPassageRepeats-th occurrence of a word among those added since clear().
class RepeatCounter {
 public:
  void clear();
  // True when it is so far. `before` is the content of the row with all words since clear() but this one.
  bool add(std::string_view word, bool pair, std::string_view before);

 private:
  bool count(std::string_view as_in_row);

  // How many words fell into each bucket: as long as that is few, no single one of them can be there too often.
  std::array<std::uint8_t, 1024> buckets_{};
  bool exact_ = false;
  std::unordered_map<std::string, std::int64_t> counts_;  // of all words, once exact_
};

// Cuts a text that arrives in pieces; gives each passage as soon as its overlap is known. A text without words has none.
class PassageCutter {
 public:
  using Use = std::function<Status(Passage&& passage)>;
  explicit PassageCutter(Use use) : use_(std::move(use)) {}
  Status feed(std::string_view valid_utf8);
  Status finish();

 private:
  struct Open {
    Passage passage;
    bool owns = true;                       // its own words still come
    std::int64_t overlap = kPhraseOverlap;  // positions that are still to come after them
  };

  Status take_words();
  Status take(const Word& word);
  void begin(const Word& word);
  Status give_first();
  Status give_all();

  Use use_;
  Words words_;
  std::deque<Open> open_;      // by start; only the last one may still own words
  RepeatCounter repeats_;      // of that one
  bool repeated_ = false;      // one of its words came the kPassageRepeats-th time
  std::int64_t last_end_ = 0;  // of the word before
};

// All of a short text.
Result<std::vector<Passage>> cut_passages(std::string_view valid_utf8);

}  // namespace ladder::store
